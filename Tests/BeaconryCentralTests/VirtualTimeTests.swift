// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Concurrency
import HCIRadio
import Radio
import Receiving
import Synchronization
import TestTraits
import Testing
import VirtualRadio

private final class CapturedBytes: CaptureSink {
    private let bytes = Mutex<[UInt8]>([])

    func append(_ bytes: [UInt8]) { self.bytes.withLock { $0 += bytes } }

    var all: [UInt8] { bytes.withLock { $0 } }
}

/// Beacons and a phone on a virtual air in virtual time.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct VirtualTimeTests {
    private static let uuid = UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")

    /// - Parameter interval: in ticks of 0.625 ms.
    private static func beacon(_ name: String, interval: UInt32, _ data: AdvertisingData) -> HostedBeacon {
        HostedBeacon(
            identifier: BeaconIdentifier(name),
            services: [
                GATTService(
                    uuid: ScriptedPeer.service,
                    characteristics: [GATTCharacteristic(uuid: ScriptedPeer.value, properties: .read)])
            ],
            advertisement: Advertisement(
                pdu: .connectableScannable, advertisingData: data, interval: AdvertisingInterval(interval)))
    }

    private static func open(_ radio: VirtualAirRadio, _ beacons: [HostedBeacon]) async throws {
        _ = try await radio.open(beacons, waits: false) { _ in .success([42]) }
        for beacon in beacons { await radio.advertise(beacon.advertisement, for: beacon.identifier) }
    }

    /// A beacon that is muted after a minute, and a region monitor.
    @Test func regionIsLeftThirtyVirtualSecondsAfterItsLastAdvertisement() async throws {
        let uuid = Self.uuid
        let events = try await Simulation.run { clock in
            let radio = VirtualAirRadio(VirtualAirOptions(seed: 5, servers: []))
            let frame = IBeacon(uuid: uuid, major: 1, minor: 7, measuredPower: MeasuredPower(-59))
            try await Self.open(radio, [Self.beacon("door", interval: 1600, frame.advertisingData())])
            _ = try await radio.openCentral(waits: false)
            var monitor = RegionMonitor()
            try monitor.add(BeaconRegion(identifier: "shop", uuid: uuid), at: .zero)
            let start = clock.now
            let changes = Task {
                try await clock.sleep(for: .seconds(60))
                await radio.setMuted(true, BeaconIdentifier("door"))
                try await clock.sleep(for: .seconds(60))
                await radio.stopScanning()
            }
            var changed: [RegionEvent] = []
            for await sighting in try await radio.scan(ScanParameters()) {
                changed += monitor.take(.received(sighting, at: start.duration(to: clock.now)))
            }
            changed += monitor.take(.passed(start.duration(to: clock.now)))
            try await changes.value
            await radio.close()
            return changed.map { "\($0.kind) in second \(Int($0.time / .seconds(1)))" }
        }
        // The last advertisement was received in the second before the minute was over.
        #expect(events == ["entered in second 0", "exited in second 89"])
    }

    /// What passes while a central finds three of twenty beacons, connects to them at the same time and reads.
    private static func capture(seed: UInt64) async throws -> [UInt8] {
        let sink = CapturedBytes()
        try await Simulation.run { clock in
            let radio = VirtualAirRadio(VirtualAirOptions(seed: seed, servers: []), capture: sink)
            let beacons = (1...20).map { number in
                beacon("b\(number)", interval: 160 + UInt32(number), [.localName("b\(number)", isComplete: true)])
            }
            try await open(radio, beacons)
            let central = Central(radio: radio)
            _ = try await central.open()
            await withTaskGroup { group in
                for name in ["b3", "b7", "b11"] {
                    group.addTask {
                        let options = ScanOptions(where: { $0.advertisement.localName == name })
                        guard let peripheral = try? await central.find(options),
                            (try? await peripheral.connect()) != nil
                        else { return }
                        let service = try? await peripheral.discoverService(ScriptedPeer.service)
                        let value = try? await service?.discoverCharacteristic(ScriptedPeer.value).read()
                        #expect(value == [42])
                        try? await clock.sleep(for: .seconds(5))
                        await peripheral.disconnect()
                    }
                }
            }
            await central.close()
            await radio.close()
        }
        return sink.all
    }

    @Test func captureIsTheSameEachTimeWithTheSameSeed() async throws {
        let first = try await Self.capture(seed: 7)
        #expect(first.count > 10_000)
        for _ in 0..<3 { #expect(try await Self.capture(seed: 7) == first) }
        #expect(try await Self.capture(seed: 8) != first)
    }

    @Test func connectionAttemptTimesOutInVirtualTime() async throws {
        let elapsed = try await Simulation.run { clock in
            let radio = VirtualAirRadio(VirtualAirOptions(seed: 5, servers: []))
            try await Self.open(radio, [])
            let central = Central(radio: radio)
            _ = try await central.open()
            let begin = clock.now
            let peripheral = await central.peripheral(at: RemoteAddress(Stage.address, isRandom: true))
            await #expect(throws: CentralError.self) { try await peripheral.connect(timeout: .seconds(600)) }
            let elapsed = begin.duration(to: clock.now)
            await central.close()
            return elapsed
        }
        #expect(elapsed >= .seconds(600) && elapsed < .seconds(605))
    }
}
