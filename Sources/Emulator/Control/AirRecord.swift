// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import JSON
import Profiles
import Space

/// The virtual air as JSON. Keys and units are the same as in profiles: metres, dB and dBm.
package struct AirRecord: Codable, Hashable, Sendable {
    /// The model of the RSSI.
    package struct Physics: Hashable, Sendable {
        /// The preset with these values; `nil` if none has them.
        package let preset: String?
        /// A number for each key of `PhysicsKey` that is one, else an object of numbers; a part that is off is absent.
        package let values: [String: JSONValue]

        init(_ model: Propagation) {
            let room = model.withoutWalls
            preset =
                room == Propagation() ? "off" : Propagation.environments.first { $0.propagation == room }?.name
            values = Dictionary(
                uniqueKeysWithValues: PhysicsKey.all.compactMap { key in
                    guard let values = key.values(model) else { return nil }
                    let numbers = zip(key.numbers, values).map { ($0.name, JSONValue.number($1)) }
                    return (key.name, key.isNumber ? numbers[0].1 : .object(Dictionary(uniqueKeysWithValues: numbers)))
                })
        }
    }

    /// A wall, seen from above.
    package struct Wall: Codable, Hashable, Sendable {
        package let from: [Double]
        package let to: [Double]
        package let loss: Double
    }

    /// A floor plan under the positions.
    package struct Plan: Codable, Hashable, Sendable {
        /// The media type of the picture.
        package let type: String
        /// In metres.
        package let width, height: Double
        /// The position of the lower left corner: x and y in metres.
        package let origin: [Double]
        /// Differs for another picture.
        package let tag: String

        init(_ plan: GroundPlan) {
            type = plan.picture.format.rawValue
            (width, height) = (plan.width, plan.height)
            origin = [plan.origin.x, plan.origin.y]
            tag = plan.picture.tag
        }
    }

    package let physics: Physics
    package let walls: [Wall]
    /// `nil` for none.
    package let map: Plan?
    /// The mean RSSI 1 m away from each beacon, or other host, that advertises, by its name.
    package let levels: [String: Double]

    init(_ model: Propagation, levels: [String: Double], _ plan: GroundPlan?) {
        map = plan.map(Plan.init)
        physics = Physics(model)
        walls = model.walls.map {
            Wall(from: [$0.from.x, $0.from.y], to: [$0.to.x, $0.to.y], loss: $0.loss)
        }
        self.levels = levels
    }
}

extension AirRecord.Physics: Codable {
    private static let preset = "preset"

    package init(from decoder: any Decoder) throws {
        var members = try [String: JSONValue](from: decoder)
        preset = members.removeValue(forKey: Self.preset)?.string
        values = members
    }

    package func encode(to encoder: any Encoder) throws {
        var members = values
        members[Self.preset] = preset.map { .text($0) }
        try members.encode(to: encoder)
    }
}
