// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The floors and the rooms of an installation.
package struct Building: Hashable, Sendable {
    /// The floors, the lowest first.
    package let floors: [Floor]
    /// The rooms, in the order of the file.
    package let rooms: [Room]

    /// A building; no floor and no room for a place without any.
    package init(floors: [Floor] = [], rooms: [Room] = []) {
        self.floors = floors.sorted { $0.height < $1.height }
        self.rooms = rooms
    }

    /// Whether there is neither a floor nor a room.
    package var isEmpty: Bool { floors.isEmpty && rooms.isEmpty }

    /// The floor of a place: the highest one that begins at its height or below. What is below all floors is on none.
    package func floor(at place: Position) -> Floor? { floors.last { $0.height <= place.z } }

    /// The room of a place; `nil` outside of all rooms. What is on an outer wall, as a beacon on it, is in the room of this wall.
    package func room(at place: Position) -> Room? {
        guard let floor = floor(at: place) else { return nil }
        return rooms.first { $0.floor == floor.id && $0.contains(place) }
            ?? rooms.first { $0.floor == floor.id && Outline($0.outline).distance(to: place) <= Outline.tolerance }
    }

    /// The heights from a floor to the next one, in metres.
    package func heights(of floor: String) -> Range<Double> {
        guard let index = floors.firstIndex(where: { $0.id == floor }) else { return -.infinity ..< .infinity }
        let next = floors[index...].first { $0.height > floors[index].height }
        return floors[index].height..<(next?.height ?? .infinity)
    }

    /// The room that is nearest to a place, with its distance in metres; `nil` without rooms.
    package func nearestRoom(to place: Position) -> (room: Room, distance: Double)? {
        let distances = rooms.map { room in
            let heights = heights(of: room.floor)
            let above = max(heights.lowerBound - place.z, place.z - heights.upperBound, 0)
            return hypot(room.contains(place) ? 0 : Outline(room.outline).distance(to: place), above)
        }
        return zip(rooms, distances).min { $0.1 < $1.1 }.map { (room: $0.0, distance: $0.1) }
    }

    /// The slabs of the floors that have one.
    package var slabs: [Propagation.Slab] {
        floors.filter { $0.slabLoss > 0 }.map { Propagation.Slab(height: $0.height, loss: $0.slabLoss) }
    }
}
