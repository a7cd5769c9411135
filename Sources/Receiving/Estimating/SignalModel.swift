// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Space

/// How the RSSI falls with the distance, as an app knows it: without the walls, the people and the chance of a place.
package struct SignalModel: Hashable, Sendable {
    /// The path-loss exponent.
    package let exponent: Double
    /// The loss in dB for each metre beyond the first.
    package let clutter: Double

    package init(exponent: Double, clutter: Double = 0) {
        self.exponent = exponent
        self.clutter = clutter
    }

    /// The model of an air. Its exponent contains the walls: an app does not compute them one by one.
    package init(of propagation: Propagation) {
        self.init(exponent: propagation.exponent, clutter: propagation.clutter)
    }

    /// The RSSI in dBm at a distance in metres.
    /// - Parameter power: the RSSI at 1 m in dBm.
    func rssi(at distance: Double, power: Double) -> Double {
        let distance = max(distance, Self.nearest)
        return power - 10 * exponent * log10(distance) - clutter * max(distance - 1, 0)
    }

    /// The change of the RSSI in dB for each metre at a distance in metres.
    func slope(at distance: Double) -> Double {
        let distance = max(distance, Self.nearest)
        return -10 * exponent / (distance * log(10)) - (distance > 1 ? clutter : 0)
    }

    /// The distance in metres at which packets have this RSSI in dBm, up to 1 km.
    /// - Parameter power: the RSSI at 1 m in dBm.
    func distance(rssi: Double, power: Double) -> Double {
        guard exponent > 0 || clutter > 0 else { return 1 }
        let direct = exponent > 0 ? pow(10, (power - rssi) / (10 * exponent)) : Self.farthest
        guard clutter > 0, direct > 1 else { return min(max(direct, Self.nearest), Self.farthest) }
        var (low, high) = (1.0, min(direct, Self.farthest))
        while high - low > Self.nearest / 100 {
            let middle = (low + high) / 2
            if self.rssi(at: middle, power: power) > rssi { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// The least and the greatest distance, in metres.
    private static let (nearest, farthest) = (0.1, 1000.0)
}
