// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A room of a building: a polygon on a floor.
package struct Room: Hashable, Sendable {
    /// An opening in a wall, which has no loss.
    package struct Door: Hashable, Sendable {
        /// The middle of the opening, on an edge of the outline; `z` is not used.
        package let position: Position
        /// The width in metres.
        package let width: Double

        package init(at position: Position, width: Double) {
            self.position = position
            self.width = width
        }
    }

    /// Its name, which no other room of the building has.
    package let id: String
    /// Its name for people; `nil` for none.
    package let label: String?
    /// The name of its floor.
    package let floor: String
    /// The corners, in order; at least three, and no edge crosses another one. `z` is not used.
    package let outline: [Position]
    /// The loss in dB of a path through one of its walls; 0 for a room without walls.
    package let wallLoss: Double
    /// The openings in its walls.
    package let doors: [Door]

    package init(
        id: String, label: String? = nil, floor: String, outline: [Position], wallLoss: Double = 0, doors: [Door] = []
    ) {
        self.id = id
        self.label = label
        self.floor = floor
        self.outline = outline
        self.wallLoss = wallLoss
        self.doors = doors
    }

    /// Whether a place is within the outline, seen from above; of a place on an edge that two rooms share, one has it.
    package func contains(_ place: Position) -> Bool { Outline(outline).contains(place) }
}
