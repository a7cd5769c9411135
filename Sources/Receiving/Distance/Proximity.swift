// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How near a beacon is, estimated from its RSSI.
public enum Proximity: String, Hashable, Sendable, CaseIterable {
    /// Unknown.
    case unknown
    /// Beside the receiver.
    case immediate
    /// Within a few metres.
    case near
    /// Further away.
    case far
}

/// The distances that separate the proximities.
package struct ProximityThresholds: Hashable, Sendable {
    /// Distances below this, in metres, are immediate.
    package let immediate: Double
    /// Distances up to this, in metres, are near unless they are immediate; greater ones are far.
    package let near: Double

    /// Immediate below 0.5 m, near up to 4 m.
    package static let standard = ProximityThresholds(checked: 0.5, 4)

    private init(checked immediate: Double, _ near: Double) {
        self.immediate = immediate
        self.near = near
    }

    /// Thresholds in metres; `nil` unless both are finite, not negative, and in this order.
    package init?(immediate: Double, near: Double) {
        guard immediate.isFinite, near.isFinite, 0 <= immediate, immediate <= near else { return nil }
        self.init(checked: immediate, near)
    }

    /// The proximity at a distance in metres; unknown for `nil` and for negative distances.
    package func proximity(at distance: Double?) -> Proximity {
        guard let distance, distance >= 0 else { return .unknown }
        if distance < immediate { return .immediate }
        return distance <= near ? .near : .far
    }
}
