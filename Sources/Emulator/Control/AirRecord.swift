// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The virtual air as JSON. Keys and units are those of profiles: metres, dB and dBm.
package struct AirRecord: Codable, Hashable, Sendable {
    /// The model of the RSSI; a part that is off is absent.
    package struct Physics: Codable, Hashable, Sendable {
        /// The preset with these values; absent if none has them.
        package let preset: String?
        package let exponent: Double
        package let shadowing: Shadowing?
        package let fading: Fading?
        /// The standard deviation from packet to packet.
        package let fast: Double?
        package let sensitivity: Double?
        package let capture: Double?
        /// The loss through the body of a person who carries a receiver.
        package let body: Double
    }

    /// A loss that changes slowly with movement.
    package struct Shadowing: Codable, Hashable, Sendable {
        package let sigma: Double
        package let distance: Double
    }

    /// Reflections.
    package struct Fading: Codable, Hashable, Sendable {
        /// The ratio of the direct path's power to that of the reflections.
        package let k: Double
    }

    /// A wall, seen from above.
    package struct Wall: Codable, Hashable, Sendable {
        package let from: [Double]
        package let to: [Double]
        package let loss: Double
    }

    package let physics: Physics
    package let walls: [Wall]
    /// The mean RSSI 1 m away from each beacon, or other host, that advertises, by its name.
    package let levels: [String: Double]

    init(_ model: Propagation, levels: [String: Double]) {
        var room = model
        room.walls = []
        physics = Physics(
            preset: room == Propagation()
                ? "off" : Propagation.environments.first { $0.propagation == room }?.name,
            exponent: model.exponent,
            shadowing: model.shadowing.map { Shadowing(sigma: $0.deviation, distance: $0.distance) },
            fading: model.directPathRatio.map(Fading.init),
            fast: model.packetDeviation == 0 ? nil : model.packetDeviation,
            sensitivity: model.sensitivity, capture: model.capture, body: model.bodyLoss)
        walls = model.walls.map {
            Wall(from: [$0.from.x, $0.from.y], to: [$0.to.x, $0.to.y], loss: $0.loss)
        }
        self.levels = levels
    }
}
