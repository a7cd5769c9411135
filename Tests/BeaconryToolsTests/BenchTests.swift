// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Concurrency
import Emulator
import Glibc
import HCIRadio
import Profiles
import Radio
import Space
import Synchronization
import TestTraits
import Testing

@testable import Receiving

/// An app at rest receives the bench's radio with a constant RSSI, and shows the distances of the receiver that walks.
@Suite(.realTime, .timeLimit(.minutes(10))) struct BenchTests {
    /// An app on a phone at rest: the filter of its RSSI, the measured power of the latest packet, and its curve.
    private final class App: Sendable {
        private struct State {
            var history: RSSIHistory
            var power: MeasuredPower?
            var lastPacket = Duration.zero
        }

        private let model: DistanceModel
        private let state: Mutex<State>

        init(_ app: BenchApp) {
            model = app == .altBeacon ? .altBeacon : .freeSpace
            state = Mutex(State(history: RSSIHistory(BenchSettings.lag(of: app))))
        }

        func take(_ sighting: Sighting, at time: Duration) {
            guard let rssi = sighting.rssi.known, let beacon = sighting.beacons.first else { return }
            state.withLock { state in
                state.history.add(rssi, at: time)
                (state.power, state.lastPacket) = (beacon.measuredPower, time)
            }
        }

        /// The distance that it shows, and those of the neighbouring measured powers; `nil` without packets in the last 2 s.
        func distances(at time: Duration) -> (shown: Double, quantum: ClosedRange<Double>)? {
            state.withLock { state in
                guard let power = state.power?.decibelMilliwatts, time - state.lastPacket < .seconds(2),
                    let rssi = state.history.value(at: time)
                else { return nil }
                let found = [power - 1, power, power + 1].compactMap {
                    model.distance(rssi: rssi, measuredPower: MeasuredPower($0))
                }
                return found.count == 3 ? (found[1], found[0]...found[2]) : nil
            }
        }
    }

    private static let profile = """
        profile: walk
        physics: { exponent: 2, sensitivity: -85dBm }
        beacons:
          - id: door
            device: ibeacon
            position: [0, 0]
            ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1, measured-power: -59 }
        receivers:
          - id: phone
            path: { through: [[1, 0], [40, 0], [1, 0]], speed: 0.2m/s }
            phone: exact
        """

    /// What an app shows each second of a walk.
    private static func walk(
        _ app: BenchApp, for seconds: Int
    ) async throws -> [(position: Double, shown: Double?, quantum: ClosedRange<Double>?, state: BenchState)] {
        try await Simulation.run { clock in
            let profile = try Profile(parsing: Self.profile, file: "walk")
            let air = VirtualAirRadio(VirtualAirOptions(seed: 3, propagation: Propagation(for: [profile]), servers: []))
            let radio = VirtualAirRadio(VirtualAirOptions(seed: 4, servers: []))
            var configuration = Emulator.Configuration(profiles: [profile], loadProfiles: { [profile] })
            configuration.bench = Bench(BenchSettings("phone", rssi: RSSI(-59), app: app, lag: nil), on: air)
            let emulator = Emulator(configuration, radio: radio, clock: clock)
            let running = Task { try await emulator.run() }
            try await radio.addListener("app", motion: nil)
            let sightings = try await radio.scan(ScanParameters(), as: "app")
            let phone = App(app)
            let listening = Task { for await sighting in sightings { phone.take(sighting, at: clock.now.offset) } }
            var results: [(position: Double, shown: Double?, quantum: ClosedRange<Double>?, state: BenchState)] = []
            for _ in 0..<seconds {
                try await clock.sleep(for: .seconds(1))
                let state = try emulator.benchRecord().beacons.first?.state ?? .waiting
                let found = phone.distances(at: clock.now.offset)
                let place = try await emulator.air.hosts().first { $0.name == "phone" }?.position?.x ?? 0
                results.append((place, found?.shown, found?.quantum, state))
            }
            await emulator.stop()
            try await running.value
            listening.cancel()
            return results
        }
    }

    @Test(arguments: BenchApp.allCases)
    func appShowsTheDistancesOfTheWalk(_ app: BenchApp) async throws {
        let model: DistanceModel = app == .altBeacon ? .altBeacon : .freeSpace
        var compared = 0
        for (position, shown, quantum, state) in try await Self.walk(app, for: 390).dropFirst(3) where state == .inRange
        {
            guard let shown, let quantum else { continue }
            // The walk during the last two seconds, in which the RSSI was measured and sent, and a rounded RSSI.
            let places = (max(position - 0.5, 0.5), position + 0.5)
            let walk = [places.0, places.1].compactMap { metres in
                model.distance(rssi: -59 - 20 * log10(metres), measuredPower: MeasuredPower(-59))
            }
            let tolerance = (quantum.upperBound - quantum.lowerBound) / 2
            #expect(walk[0] - tolerance...walk[1] + tolerance ~= shown, "\(position) m: \(shown)")
            compared += 1
        }
        #expect(compared > 150)
    }

    /// From 20 m on packets are lost, from 30 m on all of them.
    @Test
    func beaconLeavesTheRadioBeyondTheRange() async throws {
        let results = try await Self.walk(.altBeacon, for: 390)
        let far = results.filter { $0.position > 33 }
        #expect(!far.isEmpty && far.allSatisfy { $0.state == .outOfRange })
        // The app's own time without packets.
        #expect(far.allSatisfy { $0.shown == nil })
        #expect(results.last?.state == .inRange && results.last?.shown != nil)
    }
}
