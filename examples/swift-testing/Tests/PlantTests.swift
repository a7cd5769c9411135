// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryTesting
import Testing

/// The app under test: it connects to the first plant pot that it finds, and sets the threshold of its alarm.
struct PlantApp {
    let central: Central

    func setThreshold(_ percent: UInt8) async throws {
        let pot = try await central.find(ScanOptions(services: [.bit16(0x181A)]))
        try await pot.connect()
        let service = try await pot.discoverService(.bit16(0x181A))
        try await service.discoverCharacteristic(.bit16(0x2A6F)).write([percent])
        await pot.disconnect()
    }
}

@Suite struct PlantTests {
    static let pot = """
        device: gatt
        name: Plant
        services:
          - uuid: 181A
            characteristics:
              - { name: threshold, uuid: 2A6F, properties: [read, write], type: uint8, value: 30 }
        advertise: { services: [181A] }
        """

    @Test func thresholdIsWritten() async throws {
        let air = try await VirtualAir(seed: 7)
        let pot = try await air.beacon("pot", at: Position(x: 0, y: 0), keys: Self.pot)
        let phone = try await air.receiver("phone", at: Position(x: 3, y: 0))

        let app = PlantApp(central: phone.central)
        try await air.run { try await app.setThreshold(50) }

        await air.journal.expect("written,decoded.threshold=50", beacon: pot)
        await air.journal.expect("disconnected", beacon: pot, within: .seconds(5))
        #expect(try await pot.status().settings["threshold"] == "50")
    }

    @Test func beaconIsReceivedWithMorePowerFromNearby() async throws {
        let air = try await VirtualAir(seed: 7)
        try await air.beacon(
            "door", iBeacon: ("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7), at: Position(x: 0, y: 0))
        let phone = try await air.receiver("phone", at: Position(x: 10, y: 0))
        let far = try await phone.advertisements(for: .seconds(2))

        try await air.walk(phone, through: [Position(x: 10, y: 0), Position(x: 1, y: 0)], over: .seconds(20))
        try await air.clock.advance(by: .seconds(20))
        let near = try await phone.advertisements(for: .seconds(2))

        #expect(far.first?.advertisement.iBeacon?.minor == 7)
        #expect(Set(far.compactMap(\.sighting.rssi)) == [RSSI(-79)])
        #expect(Set(near.compactMap(\.sighting.rssi)) == [RSSI(-59)])
    }
}
