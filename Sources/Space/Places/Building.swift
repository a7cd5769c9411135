// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

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

    /// The floor of a place: the highest one that begins at its height or below. What is below all floors is on none.
    package func floor(at place: Position) -> Floor? { floors.last { $0.height <= place.z } }

    /// The room of a place; `nil` outside of all rooms.
    package func room(at place: Position) -> Room? {
        guard let floor = floor(at: place) else { return nil }
        return rooms.first { $0.floor == floor.id && $0.contains(place) }
    }
}
