// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Radio
import RunAPI
import Testing

@testable import Emulator
@testable import Persistence

/// A declared peripheral in a run.
struct DeclaredPeripheralTests {
    private static let profile = """
        profile: lab
        beacons:
          - id: meter
            device: gatt
            name: Meter
            services:
              - uuid: FFF0
                characteristics:
                  - { name: level, uuid: FFF1, properties: [read, notify], type: uint8, value: 5 }
                  - { name: third, uuid: FFF2, properties: [read], value: "02", read-error: { code: 0x85, time: 3 } }
                  - { name: kept, uuid: FFF3, properties: [read, write], type: text, value: first, stored: true }
          - { id: battery, device: battery, level: 70 }
        """

    private static func request(_ uuid: UInt16, _ operation: AttributeRequest.Operation) -> AttributeRequest {
        AttributeRequest(
            beacon: BeaconIdentifier("meter"), characteristic: CharacteristicIdentifier(.bit16(uuid)), central: "phone",
            operation: operation)
    }

    private static func meter(_ folder: TemporaryFolder) throws -> RunningBeacon {
        try RunningBeacon(
            try Profile(parsing: profile, file: "lab.yaml").beacons[0], of: "lab",
            identifier: BeaconIdentifier("meter"),
            state: StateFolder(folder.file("state")), clock: Timekeeper(ContinuousClock())
        ) { _ in }
    }

    /// A value that counts reads is not read outside the actor, so that each read counts once.
    @Test
    func readsAreCounted() async throws {
        let meter = try Self.meter(try TemporaryFolder())
        await meter.powerOn()
        #expect(meter.read(Self.request(0xFFF1, .read(offset: 0))) == .success([5]))
        var answers: [AttributeResponse?] = []
        for _ in 0..<4 {
            #expect(meter.read(Self.request(0xFFF2, .read(offset: 0))) == nil)
            answers.append(await meter.answer(Self.request(0xFFF2, .read(offset: 0))))
        }
        #expect(answers == [.success([2]), .success([2]), .failure(ATTError(rawValue: 0x85)), .success([2])])
    }

    @Test
    func writtenValuesAreRestored() async throws {
        let folder = try TemporaryFolder()
        let first = try Self.meter(folder)
        try await first.restore(resets: false)
        await first.powerOn()
        #expect(await first.answer(Self.request(0xFFF3, .write(offset: 0, value: [0x68, 0x69]))) == .success([]))
        first.lock?.release()
        let second = try Self.meter(folder)
        try await second.restore(resets: false)
        await second.powerOn()
        #expect(second.read(Self.request(0xFFF3, .read(offset: 0))) == .success([0x68, 0x69]))
    }

    @Test
    func valuesAreSetByName() async throws {
        try await withReadyRig(Self.profile) { rig in
            let status = try await rig.emulator.set("meter", ["level": "9", "interval": "200ms", "kept": "x = y"])
            #expect(status.settings.map(\.key) == ["interval", "tx-power", "level", "third", "kept"])
            #expect(status.settings.contains(.named("level", "9")))
            #expect(status.settings.contains(.named("kept", "x = y")))
            #expect(status.keepsSettings)
            let battery = try await rig.emulator.set("battery", ["level": "7"])
            #expect(battery.settings.contains(.named("level", "7")))
            #expect(!battery.keepsSettings)
            #expect(rig.folder.names("state/lab").contains("meter.json"))
            #expect((status.name, battery.name) == ("Meter", "Battery"))
            let record = BeaconRecord(status)
            #expect(record.name == "Meter" && record.present == nil)
            #expect(record.settings["level"] == .text("9") && record.settings["kept"] == .text("x = y"))
        }
    }

    @Test(
        arguments: [
            (["level": "9", "kept": ""], nil),
            (["level": "300"], "meter: level: \"300\" is not a whole number from 0 to 255"),
            (
                ["level": "9", "colour": "red"],
                "meter: there is no setting \"colour\"; settings are interval, tx-power, level, third, kept"
            ),
            (["level": "9", "major": "1"], "meter: major: this peripheral has no such setting"),
        ] as [([String: String], String?)])
    func badValuesAreRefused(_ values: [String: String], _ message: String?) async throws {
        try await withReadyRig(Self.profile) { rig in
            let before = try await rig.emulator.show("meter")
            guard let message else {
                _ = try await rig.emulator.set("meter", values)
                return
            }
            let error = await #expect(throws: EmulatorError.self) { try await rig.emulator.set("meter", values) }
            #expect(error?.message == message)
            #expect(error?.exitCode == 65)
            #expect(try await rig.emulator.show("meter") == before)
        }
    }
}
