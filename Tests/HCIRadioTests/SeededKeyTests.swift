// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Concurrency
import HCIRadio
import Radio
import Synchronization
import TestTraits
import Testing
import VirtualRadio

private final class Sink: CaptureSink {
    private let taken = Mutex<[UInt8]>([])
    var bytes: [UInt8] { taken.withLock { $0 } }
    func append(_ bytes: [UInt8]) { taken.withLock { $0 += bytes } }
}

/// Keys and private addresses in virtual time: they are the same in each run with the same seed.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct SeededKeyTests {
    private static let identifier = BeaconIdentifier("lock")

    private static func beacon(_ settings: PairingSettings) -> HostedBeacon {
        let service = GATTService(
            uuid: .bit16(0xFFF0),
            characteristics: [
                GATTCharacteristic(
                    uuid: .bit16(0xFFF1), properties: .read, permissions: AttributePermissions(read: .encryption))
            ])
        var beacon = HostedBeacon(
            identifier: identifier, services: [service],
            advertisement: Advertisement(
                pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
                interval: AdvertisingInterval(1600)))
        beacon.pairing = settings
        return beacon
    }

    /// What passes while a receiver finds the beacon by its private address, pairs with it, reads a value, and leaves; an hour
    /// later, when the address has changed four times, it does so again.
    private static func capture(
        seed: UInt64, _ requirement: PairingSettings.Requirement
    ) async throws -> [UInt8] {
        let sink = Sink()
        try await Simulation.run { clock in
            let radio = VirtualAirRadio(VirtualAirOptions(seed: seed, servers: []), capture: sink)
            let settings = PairingSettings(secureConnections: requirement, hidesAddress: true)
            let beacon = beacon(settings)
            try await radio.addListener("phone", motion: nil)
            let sightings = try await radio.scan(ScanParameters(isActive: false), as: "phone")
            _ = try await radio.open([beacon], waits: false) { _ in .success([1, 2, 3]) }
            await radio.advertise(beacon.advertisement, for: identifier)
            var addresses: Set<RemoteAddress> = []
            var next = Duration.zero
            for await sighting in sightings {
                addresses.insert(sighting.device)
                guard clock.now.offset >= next else { continue }
                next += .seconds(3600)
                let link = try #require(
                    try await radio.connect(to: sighting.device, as: "phone", timeout: .seconds(10))
                        as? any PairingLink)
                _ = try await link.pair(PairingSettings(secureConnections: requirement)) { _ in .cancel }
                let service = try #require(try await link.discoverServices([.bit16(0xFFF0)]).first)
                let characteristic = try #require(try await link.discoverCharacteristics(of: service).first)
                #expect(try await link.read(characteristic.value) == [1, 2, 3])
                await link.disconnect()
                if next > .seconds(3600) { break }
            }
            #expect(addresses.count >= 4)
            await radio.close()
        }
        return sink.bytes
    }

    @Test(arguments: [PairingSettings.Requirement.required, .off])
    func pairingIsTheSameWithTheSameSeed(_ requirement: PairingSettings.Requirement) async throws {
        let first = try await Self.capture(seed: 7, requirement)
        #expect(first.count > 10_000)
        #expect(try await Self.capture(seed: 7, requirement) == first)
        #expect(try await Self.capture(seed: 8, requirement) != first)
    }
}
