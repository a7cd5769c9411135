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
            preset = model.withoutObstacles.presetName
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
        /// The heights at which it begins and ends; `nil` without a bound.
        package let bottom, top: Double?

        init(_ wall: Propagation.Wall) {
            from = [wall.from.x, wall.from.y]
            to = [wall.to.x, wall.to.y]
            loss = wall.loss
            bottom = wall.bottom.isFinite ? wall.bottom : nil
            top = wall.top.isFinite ? wall.top : nil
        }
    }

    /// A floor of the building.
    package struct Floor: Codable, Hashable, Sendable {
        package let id: String
        /// The height at which it begins.
        package let from: Double
        /// The loss of the slab at that height; `nil` for none.
        package let slab: Double?

        init(_ floor: Space.Floor) {
            (id, from) = (floor.id, floor.height)
            slab = floor.slabLoss > 0 ? floor.slabLoss : nil
        }
    }

    /// A room of the building.
    package struct Room: Codable, Hashable, Sendable {
        /// A gap in a wall.
        package struct Door: Codable, Hashable, Sendable {
            /// The middle.
            package let at: [Double]
            package let width: Double
        }

        package let id: String
        package let label: String?
        /// The name of its floor.
        package let floor: String
        /// The corners, in order.
        package let outline: [[Double]]
        package let doors: [Door]

        init(_ room: Space.Room) {
            (id, label, floor) = (room.id, room.label, room.floor)
            outline = room.outline.map { [$0.x, $0.y] }
            doors = room.doors.map { Door(at: [$0.position.x, $0.position.y], width: $0.width) }
        }
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
    /// The floors, the lowest first.
    package let floors: [Floor]
    /// The rooms, in the order of the profile.
    package let rooms: [Room]
    /// `nil` for none.
    package let map: Plan?
    /// The mean RSSI 1 m away from each beacon, or other host, that advertises, by its name.
    package let levels: [String: Double]

    init(_ model: Propagation, levels: [String: Double], _ plan: GroundPlan?, _ building: Building = Building()) {
        map = plan.map(Plan.init)
        physics = Physics(model)
        walls = model.walls.map(Wall.init)
        floors = building.floors.map(Floor.init)
        rooms = building.rooms.map(Room.init)
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
