// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Space

/// The ends of links whose places are known, and what is around them: what an estimator knows of an installation.
///
/// For a phone among fixed beacons, the anchors are the beacons; for a tag among fixed receivers, the receivers.
package struct AnchorMap: Hashable, Sendable {
    /// An end whose place is known.
    package struct Anchor: Hashable, Sendable {
        /// The name of the beacon or of the receiver.
        package let name: String
        /// Where it is.
        package let position: Position
        /// The room that it is in; `nil` outside of all rooms.
        package let room: String?

        package init(_ name: String, at position: Position, room: String? = nil) {
            self.name = name
            self.position = position
            self.room = room
        }
    }

    /// The anchors.
    package let anchors: [Anchor]
    /// Floors and rooms.
    package let building: Building
    /// How the RSSI falls with the distance.
    package let signal: SignalModel

    /// The anchors, whose rooms are those of their places.
    package init(_ places: [(name: String, position: Position)], in building: Building, _ signal: SignalModel) {
        anchors = places.map { Anchor($0.name, at: $0.position, room: building.room(at: $0.position)?.id) }
        self.building = building
        self.signal = signal
    }

    private init(_ anchors: [Anchor], _ building: Building, _ signal: SignalModel) {
        self.anchors = anchors
        self.building = building
        self.signal = signal
    }

    /// The same without one of the anchors.
    package func without(_ name: String) -> AnchorMap {
        AnchorMap(anchors.filter { $0.name != name }, building, signal)
    }

    /// The heights at which something may be: a metre above each floor, or without floors the mean height of the anchors.
    var heights: [Double] {
        if !building.floors.isEmpty { return building.floors.map { $0.height + Self.heightAboveFloor } }
        return anchors.isEmpty ? [0] : [anchors.map(\.position.z).reduce(0, +) / Double(anchors.count)]
    }

    private static let heightAboveFloor = 1.0

    /// The corners of the area in which something may be: that of the rooms, or without rooms that of the anchors and 10 m
    /// around them.
    var bounds: (low: Position, high: Position) {
        let corners = building.rooms.flatMap(\.outline)
        let (places, margin) = corners.isEmpty ? (anchors.map(\.position), 10.0) : (corners, 0)
        let (x, y) = (places.map(\.x), places.map(\.y))
        return (
            Position(x: (x.min() ?? 0) - margin, y: (y.min() ?? 0) - margin),
            Position(x: (x.max() ?? 0) + margin, y: (y.max() ?? 0) + margin)
        )
    }
}
