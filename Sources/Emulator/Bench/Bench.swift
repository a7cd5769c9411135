// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Radio
package import Receiving
import Synchronization

/// The settings of a walk on the bench.
package struct BenchSettings: Hashable, Sendable {
    /// The RSSI that the phone has on the bench.
    package var rssi: RSSI
    /// The method of the app on it.
    package var app: BenchApp
    /// The name of the receiver that walks in its place.
    package var receiver: String
    /// The filter of the RSSI that makes the walk as slow as the app shows a real one; `nil` for none.
    package var lag: RSSIFilter?
    /// Whether the profile gives the receiver a `phone` or a `scan`, which have no effect on a bench.
    package var ignoresScan = false

    package init(_ receiver: String, rssi: RSSI, app: BenchApp, lag: RSSIFilter?) {
        self.receiver = receiver
        self.rssi = rssi
        self.app = app
        self.lag = lag
    }

    /// The filter that an app has.
    package static func lag(of app: BenchApp) -> RSSIFilter {
        switch app {
        case .altBeacon: .trimmedMean(.seconds(20))
        case .logDistance: .runningMean(.seconds(20))
        }
    }
}

/// A virtual air on which the receiver of a bench walks.
package typealias BenchAir = ListeningRadio & PositioningRadio

/// A walk on the bench: a phone rests beside the radio of the run, and a receiver walks on a virtual air in its place.
///
/// The beacons are on both: on the virtual air as their devices request, for the receiver; on the radio with the measured powers
/// that make the app on the phone show the distances of the receiver, and only those in its range (`BenchPlan`). Devices, their
/// saved settings and the profile are as without a bench. Once a second the emulator gives the radio what has changed
/// (`BenchWalk`).
package final class Bench: Sendable {
    package let settings: BenchSettings
    /// The virtual air.
    let air: any BenchAir
    private let plan: Mutex<BenchPlan>

    package init(_ settings: BenchSettings, on air: any BenchAir) {
        self.settings = settings
        self.air = air
        plan = Mutex(BenchPlan(settings))
    }

    /// Opens the virtual air with the beacons of the run; no host connects to them there.
    func open(_ beacons: [HostedBeacon]) async throws(RadioError) {
        _ = try await air.open(beacons, waits: false) { _ in .failure(.unlikely) }
    }

    /// Uses the plan.
    func with<Value: Sendable>(_ body: (inout BenchPlan) -> Value) -> Value { plan.withLock { body(&$0) } }
}

/// Whether a beacon is on the radio of a bench.
package enum BenchState: String, CaseIterable, Codable, Hashable, Sendable {
    /// The receiver has not received it yet.
    case waiting
    case inRange = "in-range"
    case outOfRange = "out-of-range"
}

/// A walk on the bench, as JSON.
package struct BenchRecord: Codable, Hashable, Sendable {
    /// A beacon that requests an advertisement.
    package struct Beacon: Codable, Hashable, Sendable {
        /// Its name in the run.
        package let beacon: String
        package let state: BenchState
        /// What the receiver gets, filtered, in dBm.
        package let rssi: Double?
        /// Of its device, in dBm.
        package let measuredPower: Int8?
        /// On the radio, in dBm.
        package let benchPower: Int8?
        /// Whether the measured power on the radio is the nearest possible one instead of the exact one.
        package let isClamped: Bool

        private enum CodingKeys: String, CodingKey {
            case beacon, state, rssi, measuredPower, benchPower
            case isClamped = "clamped"
        }
    }

    /// The version of the format.
    package var v = 1
    /// The name of the receiver.
    package let receiver: String
    /// The RSSI on the bench, in dBm.
    package let rssi: Int8
    package let app: String
    /// The seed of its virtual air.
    package let seed: UInt64
    package let beacons: [Beacon]
}
