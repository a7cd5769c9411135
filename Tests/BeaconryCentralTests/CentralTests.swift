// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import HCIRadio
import TestTraits
import Testing
import VirtualRadio

/// The API without failures: our own host stack at both ends of a virtual air.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct CentralTests {
    @Test func peripheralIsFoundConnectedReadAndWritten() async throws {
        try await Stage.with { stage in
            stage.peer[ScriptedPeer.value] = Array(0..<100)
            let options = ScanOptions(services: [ScriptedPeer.service], minimumRSSI: RSSI(-100))
            let peripheral = try await stage.central.find(options)
            #expect(peripheral.address == RemoteAddress(Stage.address, isRandom: true))
            #expect(peripheral.advertisement?.isConnectable == true)
            #expect(peripheral.state == .disconnected(nil) && !peripheral.isConnected)
            try await peripheral.connect()
            try await peripheral.connect()
            #expect(peripheral.isConnected && stage.peer.isConnected)
            let services = try await peripheral.discoverServices()
            #expect(services.map(\.uuid).contains(ScriptedPeer.service))
            let service = try await peripheral.discoverService(ScriptedPeer.service)
            let characteristics = try await service.discoverCharacteristics()
            #expect(
                characteristics.map(\.uuid) == [ScriptedPeer.value, ScriptedPeer.indicated, ScriptedPeer.constant])
            let value = try #require(characteristics.first)
            #expect(try await value.read() == Array(0..<100))
            try await value.write([1, 2, 3])
            #expect(stage.peer[ScriptedPeer.value] == [1, 2, 3])
            try await value.writeWithoutResponse([4])
            #expect(try await value.read() == [4])
            #expect(try await peripheral.maximumTransmissionUnit() > 100)
            #expect(try await peripheral.readRSSI().decibelMilliwatts < 0)
            await peripheral.disconnect()
            #expect(peripheral.state == .disconnected(.requested))
        }
    }

    @Test func centralOnTheAirReceivesItsBeacons() async throws {
        let radio = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: []))
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"),
            services: [
                GATTService(
                    uuid: ScriptedPeer.service,
                    characteristics: [GATTCharacteristic(uuid: ScriptedPeer.value, properties: .read)])
            ],
            advertisement: Advertisement(
                pdu: .connectableScannable, advertisingData: [.localName("a", isComplete: true)],
                interval: AdvertisingInterval(32)))
        _ = try await radio.open([beacon], waits: false) { _ in .success([42]) }
        await radio.advertise(beacon.advertisement, for: beacon.identifier)
        let central = Central(radio: radio)
        #expect(try await central.open().limits.isEmpty)
        let peripheral = try await central.find(ScanOptions(where: { $0.advertisement.localName == "a" }))
        try await peripheral.connect()
        let service = try await peripheral.discoverService(ScriptedPeer.service)
        #expect(try await service.discoverCharacteristic(ScriptedPeer.value).read() == [42])
        await central.close()
        #expect(!peripheral.isConnected)
    }

    @Test func descriptorsAreReadAndWritten() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            let descriptors = try await value.discoverDescriptors()
            #expect(descriptors.map(\.uuid) == [.clientCharacteristicConfiguration, .characteristicUserDescription])
            #expect(try await descriptors[1].read() == Array("Value".utf8))
            try await descriptors[0].write([1, 0])
            #expect(stage.peer.subscription(to: ScriptedPeer.value) == .notification)
            #expect(try await descriptors[0].read() == [1, 0])
        }
    }

    @Test func missingServicesAreNamed() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            let service = value.service
            await expect(.notFound("service 180F")) {
                _ = try await stage.peripheral.discoverService(.bit16(0x180F))
            }
            await expect(.notFound("characteristic 2A19 in service FFF0")) {
                _ = try await service.discoverCharacteristic(.bit16(0x2A19))
            }
            let constant = try await service.discoverCharacteristic(ScriptedPeer.constant)
            let indicated = try await service.discoverCharacteristic(ScriptedPeer.indicated)
            let count = stage.peer.received.count
            await expect(.notPermitted(missing: "write")) { try await constant.write([1]) }
            await expect(.notPermitted(missing: "write without response")) {
                try await constant.writeWithoutResponse([1])
            }
            await expect(.notPermitted(missing: "notify")) { for try await _ in constant.notifications() {} }
            await expect(.notPermitted(missing: "read")) { _ = try await indicated.read() }
            #expect(stage.peer.received.count == count)
        }
    }

    @Test func endedConnectionCannotBeUsed() async throws {
        try await Stage.with { stage in
            let peripheral = await stage.peripheral
            await expect(.notConnected) { _ = try await peripheral.discoverServices() }
            let value = try await stage.value()
            await peripheral.disconnect()
            await expect(.disconnected(.requested)) { _ = try await value.read() }
            await expect(.disconnected(.requested)) { _ = try await peripheral.readRSSI() }
            await peripheral.disconnect()
            let again = try await stage.value()
            _ = try await again.read()
            await expect(.disconnected(.requested)) { _ = try await value.read() }
        }
    }
}
