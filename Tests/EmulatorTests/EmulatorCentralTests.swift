// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Radio
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Centrals that connect, read and write.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct EmulatorCentralTests {
    @Test
    func connectedBeaconIsOffTheAirUntilTheCentralDisconnects() async throws {
        try await withReadyRig { rig in
            rig.connect("phone", to: "entrance")
            #expect(try await rig.advertisement("entrance", 2) == nil)
            #expect(try await rig.event("connected", of: "entrance").central == "phone")
            let stopped = try await rig.event("advertising-stopped", of: "entrance")
            #expect(stopped.reason == "a central is connected")

            rig.disconnect("phone", from: "entrance")
            let again = try await rig.advertisement("entrance", 3)
            #expect(again != nil)
            #expect(again == rig.radio.advertisements("entrance").first)
            #expect(try await rig.event("disconnected", of: "entrance").central == "phone")
            try await rig.event("advertising-started", of: "entrance", 2)
            #expect(rig.radio.advertisements("exit").count == 1)
        }
    }

    private static let garden = """
        profile: garden
        beacons:
          - id: pot
            device: gatt
            name: Plant
            services:
              - uuid: 181A
                characteristics:
                  - { name: threshold, uuid: 2A6F, properties: [read, write], type: uint8, value: 30 }
                  - { uuid: 2A19, properties: [read], type: uint8, value: 7, read-error: 0x80 }
        """

    @Test
    func writtenEventHasTheDecodedValue() async throws {
        try await withReadyRig(Samples.museum) { rig in
            _ = try await rig.write([0x2C, 0x01, 0x05, 0x00], of: "entrance")
            let both = try await rig.event("written")
            #expect(both.decoded == ["major": "300", "minor": "5"])
            _ = try await rig.write([0x2C, 0x01, 0x06, 0x00], of: "entrance")
            let minor = try await rig.event("written", 2)
            #expect(minor.decoded == ["minor": "6"])
        }
        try await withReadyRig(Self.garden) { rig in
            let threshold = BluetoothUUID("2A6F")
            for count in 1...2 {
                #expect(try await rig.write([50], to: threshold, of: "pot") == .success([]))
                let written = try await rig.event("written", count)
                #expect(written.decoded == ["threshold": "50"])
                #expect(written.value == "32")
            }
        }
    }

    @Test
    func refusedReadsAndWritesAreReported() async throws {
        try await withReadyRig(Self.garden) { rig in
            let (threshold, level) = (BluetoothUUID("2A6F"), BluetoothUUID("2A19"))
            #expect(try await rig.write([1, 2], to: threshold, of: "pot") == .failure(.invalidAttributeValueLength))
            let write = try await rig.event("refused", of: "pot")
            #expect(write.operation == "write")
            #expect(write.central == "phone")
            #expect(write.characteristic == "2A6F")
            #expect(write.characteristicName == "threshold")
            #expect(write.attError == 0x0D)
            #expect(write.code == "0x0D")
            #expect(write.reason == "0x0D (invalid attribute value length)")
            #expect(write.value == "0102")
            #expect(try await rig.read(level, of: "pot") == .failure(ATTError(rawValue: 0x80)))
            let read = try await rig.event("refused", of: "pot", 2)
            #expect(read.operation == "read")
            #expect(read.attError == 0x80)
            #expect(read.code == "0x80")
            #expect(read.value == nil)
            #expect(!rig.events.entries.contains { $0.event == "written" })
        }
    }

    @Test
    func hostsOnTheAirAreReported() async throws {
        try await withReadyRig { rig in
            let address = try #require(BluetoothAddress("02:BE:AC:00:00:03"))
            for action in [.joined, .scanStarted(isActive: true), .scanStopped, .left] as [HostEvent.Action] {
                rig.radio.emit(
                    .host(
                        HostEvent(
                            action, name: "phone", transport: "tcp:127.0.0.1:1", peer: "127.0.0.1:2", address: address))
                )
            }
            rig.radio.emit(
                .host(
                    HostEvent(
                        .refused(reason: "not HCI"), name: "phone", transport: "tcp:127.0.0.1:1", peer: "127.0.0.1:3",
                        address: address)))
            let refused = try await rig.event("host-refused")
            #expect(refused.reason == "not HCI")
            #expect(refused.peer == "127.0.0.1:3")
            let hosts = rig.events.entries.filter { $0.transport == "tcp:127.0.0.1:1" }
            #expect(hosts.map(\.event) == ["host-joined", "scan-started", "scan-stopped", "host-left", "host-refused"])
            #expect(hosts.map(\.scan) == [nil, "active", nil, nil, nil])
            #expect(hosts.allSatisfy { $0.address == "02:BE:AC:00:00:03" && $0.device == nil })
        }
    }

    @Test
    func secondCentralIsDisconnectedWithoutDisturbingTheFirst() async throws {
        try await withReadyRig { rig in
            rig.connect("phone", to: "entrance")
            rig.connect("tablet", to: "entrance")
            try await rig.radio.calls.entry { $0 == .disconnect("tablet") }
            let warning = try await rig.warning("second-central")
            #expect(warning.device == "entrance")
            rig.disconnect("tablet", from: "entrance")
            try await rig.event("disconnected", of: "entrance")
            try await rig.settle()
            #expect(rig.radio.wanted("entrance") == nil)
            rig.disconnect("phone", from: "entrance")
            #expect(try await rig.advertisement("entrance", 3) != nil)
            #expect(!rig.radio.calls.entries.contains(.disconnect("phone")))
        }
    }

    @Test
    func writtenValueIsSavedReportedAndAdvertised() async throws {
        try await withReadyRig { rig in
            rig.connect("phone", to: "entrance")
            try await rig.advertisement("entrance", 2)
            #expect(try await rig.read(of: "entrance") == .success([2, 0, 3, 0]))
            #expect(try await rig.write([0x2C, 0x01, 0x05, 0x00], of: "entrance") == .success([]))
            #expect(try await rig.read(of: "entrance") == .success([0x2C, 0x01, 0x05, 0x00]))
            let persisted = try await rig.event("settings-saved", of: "entrance")
            #expect(persisted.file == rig.folder.file("state/museum/entrance.json"))
            let written = try await rig.event("written", of: "entrance")
            #expect(written.characteristic == "2173E519-9155-4862-AB64-7953AB146158")
            #expect(written.value == "2c010500")
            #expect(written.central == "phone")

            rig.disconnect("phone", from: "entrance")
            let frame = try #require(try await rig.advertisement("entrance", 3)?.frame)
            #expect(frame.major == 300)
            #expect(frame.minor == 5)
        }
    }

    /// A device requests connection parameters, and receives the new ones.
    @Test
    func connectionParametersAreRequestedAndReported() async throws {
        try await withReadyRig("profile: tags\nbeacons:\n  - { id: tag, device: sensortag }\n") { rig in
            rig.connect("phone", to: "tag")
            #expect(try await rig.advertisement("tag", 2) == nil)
            let written: [UInt8] = [0x50, 0, 0xA0, 0, 1, 0, 0xE8, 0x03]
            #expect(
                try await rig.write(written, to: SensorTagWire.connectionParametersRequest, of: "tag")
                    == .success([]))
            let asked = ConnectionParameters(
                interval: Ticks(0x50)...Ticks(0xA0), latency: 1, supervisionTimeout: Ticks(1000))
            try await rig.radio.calls.entry { $0 == .updateConnection("phone", asked) }
            let granted = ConnectionParameters(
                interval: Ticks(0x60)...Ticks(0x60), latency: 1, supervisionTimeout: Ticks(1000))
            rig.radio.emit(.connectionUpdated(BeaconIdentifier("tag"), central: "phone", granted))
            try await rig.settle()
            #expect(
                try await rig.read(SensorTagWire.connectionParameters, of: "tag")
                    == .success([0x60, 0, 1, 0, 0xE8, 0x03]))
        }
    }

    @Test
    func refusedValueIsNotSaved() async throws {
        try await withReadyRig { rig in
            #expect(try await rig.write([1, 2, 3], of: "entrance") == .failure(.invalidAttributeValueLength))
            #expect(try await rig.write([1], to: .bit16(0x2A00), of: "entrance") == .failure(.writeNotPermitted))
            #expect(try await rig.read(.bit16(0x2A00), of: "entrance") == .failure(.readNotPermitted))
            #expect(try await rig.read(of: "nobody") == .failure(.unlikely))
            #expect(try await rig.read(of: "exit") == .failure(.readNotPermitted))
            try await rig.settle()
            #expect(!rig.events.entries.contains { ["written", "settings-saved"].contains($0.event) })
            #expect(rig.folder.names("state/museum") == ["entrance.lock"])
        }
    }

    @Test
    func fullDiskIsReportedToTheCentralAndTheOwner() async throws {
        let fileSystem = FaultyFileSystem()
        let folder = try TemporaryFolder()
        let rig = try Rig(Samples.museum, folder: folder) {
            $0.state = StateFolder(folder.file("state"), fileSystem: fileSystem)
        }
        try await rig.event("ready")
        fileSystem.arm(.noSpace, at: 1)
        #expect(try await rig.write([1, 0, 1, 0], of: "entrance") == .failure(.insufficientResources))
        let warning = try await rig.warning("persist-failed")
        #expect(warning.device == "entrance")
        fileSystem.arm(.noSpace, at: 1)
        let error = await #expect(throws: EmulatorError.self) {
            try await rig.emulator.set("entrance", ["major": "9"])
        }
        #expect(error?.exitCode == 74)
        try await rig.settle()
        #expect(try await rig.read(of: "entrance") == .success([2, 0, 3, 0]))
        #expect(rig.radio.advertisements("entrance").count == 1)
        try await rig.stop()
    }
}
