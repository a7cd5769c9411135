// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A polygon on a floor, seen from above; `z` of its corners is not used.
package struct Outline: Hashable, Sendable {
    /// What makes corners no outline of a room.
    package enum Problem: Hashable, Sendable {
        /// Fewer than three corners.
        case tooFewCorners
        /// Two corners in a row are at one place: the numbers of both, from 0.
        case repeatedCorner(Int, Int)
        /// All corners are on one line.
        case noArea
        /// Two edges cross or touch: the numbers of their first corners, from 0.
        case crossing(Int, Int)
    }

    /// How near two places are, in metres, that are taken for one: corners of rooms that meet, doors on a wall.
    package static let tolerance = 0.01

    /// The corners, in order.
    package let corners: [Position]

    package init(_ corners: [Position]) { self.corners = corners }

    /// The edges, from each corner to the next one, and from the last one to the first.
    package var edges: [Edge] {
        corners.indices.map { Edge(corners[$0], corners[($0 + 1) % corners.count]) }
    }

    /// Whether a place is within; of a place on an edge that two outlines share, one has it.
    package func contains(_ place: Position) -> Bool {
        guard var last = corners.last else { return false }
        var isInside = false
        for corner in corners {
            if (corner.y > place.y) != (last.y > place.y),
                place.x < (last.x - corner.x) * (place.y - corner.y) / (last.y - corner.y) + corner.x
            {
                isInside.toggle()
            }
            last = corner
        }
        return isInside
    }

    /// The place on the edges that is nearest to another place.
    package func nearest(to place: Position) -> Position {
        let candidates = edges.map { $0.nearest(to: place) }
        return candidates.min { Self.distance($0, place) < Self.distance($1, place) } ?? place
    }

    /// The distance to the nearest place on an edge, in metres.
    package func distance(to place: Position) -> Double { Self.distance(nearest(to: place), place) }

    /// The distance of two places, seen from above.
    static func distance(_ one: Position, _ other: Position) -> Double { hypot(one.x - other.x, one.y - other.y) }

    /// The smallest rectangle around it.
    private var bounds: (low: Position, high: Position) {
        let (x, y) = (corners.map(\.x), corners.map(\.y))
        return (Position(x: x.min() ?? 0, y: y.min() ?? 0), Position(x: x.max() ?? 0, y: y.max() ?? 0))
    }
}

// MARK: - Edges

extension Outline {
    /// A straight line between two corners.
    package struct Edge: Hashable, Sendable {
        package let start, end: Position

        init(_ start: Position, _ end: Position) {
            self.start = start
            self.end = end
        }

        /// In metres.
        package var length: Double { Outline.distance(start, end) }

        /// The place at a part of the way from the start (0) to the end (1).
        func place(at part: Double) -> Position {
            Position(x: start.x + part * (end.x - start.x), y: start.y + part * (end.y - start.y))
        }

        /// The part of the way that is nearest to a place, from 0 to 1.
        package func part(nearest place: Position) -> Double {
            let (x, y) = (end.x - start.x, end.y - start.y)
            let square = x * x + y * y
            guard square > 0 else { return 0 }
            return min(max(((place.x - start.x) * x + (place.y - start.y) * y) / square, 0), 1)
        }

        /// The place on it that is nearest to another one.
        func nearest(to place: Position) -> Position { self.place(at: part(nearest: place)) }

        /// Positive for a place on its left, negative on its right.
        func side(of place: Position) -> Double {
            (end.x - start.x) * (place.y - start.y) - (end.y - start.y) * (place.x - start.x)
        }

        /// Whether both have a place in common.
        func meets(_ other: Edge) -> Bool {
            if side(of: other.start) * side(of: other.end) < 0, other.side(of: start) * other.side(of: end) < 0 {
                return true
            }
            let ends = [(self, other.start), (self, other.end), (other, start), (other, end)]
            return ends.contains { Outline.distance($0.nearest(to: $1), $1) < 1e-9 }
        }

        /// The parts of the way at which another edge crosses it or ends on it.
        func crossings(with other: Edge) -> [Double] {
            let (first, second) = (other.side(of: start), other.side(of: end))
            if first * second < 0, side(of: other.start) * side(of: other.end) <= 0 {
                return [first / (first - second)]
            }
            return [other.start, other.end].filter { Outline.distance(nearest(to: $0), $0) <= Outline.tolerance }
                .map { part(nearest: $0) }
        }
    }
}

// MARK: - Checks

extension Outline {
    /// What makes the corners no outline of a room; `nil` for nothing.
    package var problem: Problem? {
        guard corners.count >= 3 else { return .tooFewCorners }
        for index in corners.indices {
            let next = (index + 1) % corners.count
            if Self.distance(corners[index], corners[next]) < Self.tolerance { return .repeatedCorner(index, next) }
        }
        if isStraight { return .noArea }
        let edges = edges
        for first in edges.indices {
            for second in first + 1..<max(edges.count, first + 1) where meet(first, second, edges) {
                return .crossing(first, second)
            }
        }
        return nil
    }

    /// Whether all corners are on one line.
    private var isStraight: Bool {
        guard let longest = edges.max(by: { $0.length < $1.length }) else { return true }
        return corners.allSatisfy { abs(longest.side(of: $0)) <= Self.tolerance * longest.length }
    }

    /// Whether two edges meet elsewhere than at a corner that they share.
    private func meet(_ first: Int, _ second: Int, _ edges: [Edge]) -> Bool {
        let (one, other) = (edges[first], edges[second])
        if second == first + 1 { return Self.turnsBack(one, other) }
        if first == 0, second == edges.count - 1 { return Self.turnsBack(other, one) }
        return one.meets(other)
    }

    /// Whether an edge goes back on the line of the one before it.
    private static func turnsBack(_ edge: Edge, _ next: Edge) -> Bool {
        let (x, y) = (edge.end.x - edge.start.x, edge.end.y - edge.start.y)
        let (nextX, nextY) = (next.end.x - next.start.x, next.end.y - next.start.y)
        return abs(x * nextY - y * nextX) <= 1e-9 * edge.length * next.length && x * nextX + y * nextY < 0
    }

    /// A place that is within both outlines, and farther than the tolerance from the edges of one; `nil` for none, also where they
    /// share edges.
    package func overlap(with other: Outline) -> Position? {
        let (own, its) = (bounds, other.bounds)
        guard own.low.x < its.high.x, its.low.x < own.high.x, own.low.y < its.high.y, its.low.y < own.high.y else {
            return nil
        }
        return edgePlace(within: other) ?? other.edgePlace(within: self)
            ?? innerPlace.flatMap {
                other.hasWellInside($0) ? $0 : nil
            }
    }

    private func hasWellInside(_ place: Position) -> Bool { contains(place) && distance(to: place) > Self.tolerance }

    /// A place on an edge that is within another outline.
    private func edgePlace(within other: Outline) -> Position? {
        let others = other.edges
        for edge in edges {
            let parts = ([0, 1] + others.flatMap { edge.crossings(with: $0) }).sorted()
            for (from, to) in zip(parts, parts.dropFirst()) where from < to {
                for share in [0.5, 0.25, 0.75] {
                    let place = edge.place(at: from + share * (to - from))
                    if other.hasWellInside(place) { return place }
                }
            }
        }
        return nil
    }

    /// A place within: the middle of the widest part of a line between the heights of two corners.
    private var innerPlace: Position? {
        let heights = Set(corners.map(\.y)).sorted()
        var best: (width: Double, place: Position)?
        for (low, high) in zip(heights, heights.dropFirst()) {
            let y = (low + high) / 2
            let crossings = edges.filter { ($0.start.y > y) != ($0.end.y > y) }.map { edge in
                edge.start.x + (y - edge.start.y) / (edge.end.y - edge.start.y) * (edge.end.x - edge.start.x)
            }.sorted()
            for index in stride(from: 0, to: crossings.count - 1, by: 2) {
                let (from, to) = (crossings[index], crossings[index + 1])
                let width = min(to - from, high - low)
                if width > best?.width ?? 0 { best = (width, Position(x: (from + to) / 2, y: y)) }
            }
        }
        return best?.place
    }

    /// The same without corners on the straight line between their neighbours.
    package var withoutStraightCorners: Outline {
        let kept = corners.indices.filter { index in
            let (last, next) = (
                corners[(index + corners.count - 1) % corners.count], corners[(index + 1) % corners.count]
            )
            return Self.distance(Edge(last, next).nearest(to: corners[index]), corners[index]) > 1e-9
        }
        return kept.count >= 3 ? Outline(kept.map { corners[$0] }) : self
    }
}
