// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Building {
    /// The walls of the rooms, from their floor's height to the next floor's.
    ///
    /// The part of an edge that two rooms share is one wall, with the larger loss. Doors are gaps, also where only one of two rooms
    /// has the door.
    package var walls: [Propagation.Wall] { walls(with: []) }

    /// The walls of the rooms and other ones. Where one of these lies on the edge of a room, both are one wall with the larger loss,
    /// which has the doors of the room.
    package func walls(with others: [Propagation.Wall]) -> [Propagation.Wall] {
        guard !rooms.isEmpty else { return others }
        var lines = WallLines()
        let edges = rooms.flatMap { room in
            Outline(room.outline).edges.map { (edge: $0, loss: room.wallLoss, heights: heights(of: room.floor)) }
        }
        // The line through a long edge has the more exact direction.
        for each in edges.sorted(by: { $0.edge.length > $1.edge.length }) where each.edge.length > 0 {
            lines.add(each.edge, each.loss, each.heights)
        }
        for room in rooms {
            let (outline, heights) = (Outline(room.outline).withoutStraightCorners, heights(of: room.floor))
            for door in room.doors {
                if let opening = outline.opening(of: door) { lines.addOpening(opening, heights) }
            }
        }
        let untouched = others.filter { !lines.take($0) }
        return untouched + lines.walls
    }
}

extension Outline {
    /// The part of an edge that a door takes; `nil` for a door that is on no edge.
    func opening(of door: Room.Door) -> Edge? {
        guard let edge = edge(of: door) else { return nil }
        let (middle, half) = (edge.part(nearest: door.position), door.width / 2 / edge.length)
        return Edge(edge.place(at: max(middle - half, 0)), edge.place(at: min(middle + half, 1)))
    }

    /// The edge that a door is on; at a corner, the edge that has room for it. `nil` for a door that is on no edge.
    package func edge(of door: Room.Door) -> Edge? {
        let near = edges.filter { Self.distance($0.nearest(to: door.position), door.position) <= Self.tolerance }
        return near.max { $0.margin(beside: door) < $1.margin(beside: door) }
    }
}

extension Outline.Edge {
    /// The length in metres that is left beside a door at the nearer end; negative for a door that reaches beyond it.
    package func margin(beside door: Room.Door) -> Double {
        let part = part(nearest: door.position)
        return min(part, 1 - part) * length - door.width / 2
    }
}

/// Walls by the lines on which they lie, so that walls at one place become one.
private struct WallLines {
    /// A straight line, endless in both directions.
    private struct Line {
        /// A part of the line, in metres from its origin.
        struct Part {
            let from, to: Double
            let heights: Range<Double>
            let loss: Double

            func covers(_ place: Double, _ band: Range<Double>) -> Bool {
                from <= place && place <= to && heights.lowerBound <= band.lowerBound
                    && heights.upperBound >= band.upperBound
            }

            func overlaps(_ other: Part) -> Bool {
                min(to, other.to) - max(from, other.from) > Outline.tolerance && heights.overlaps(other.heights)
            }
        }

        let origin: Position
        /// Of length 1.
        let x, y: Double
        var edges: [Part] = []
        var openings: [Part] = []
        var others: [Part] = []
        /// The exact places of corners, by their distances.
        var corners: [(distance: Double, place: Position)] = []

        init(_ edge: Outline.Edge) {
            origin = edge.start
            (x, y) = ((edge.end.x - edge.start.x) / edge.length, (edge.end.y - edge.start.y) / edge.length)
        }

        func has(_ edge: Outline.Edge) -> Bool { isOn(edge.start) && isOn(edge.end) }

        private func isOn(_ place: Position) -> Bool {
            abs(x * (place.y - origin.y) - y * (place.x - origin.x)) <= Outline.tolerance
        }

        func part(_ edge: Outline.Edge, _ loss: Double, _ heights: Range<Double>) -> Part {
            let (from, to) = (distance(of: edge.start), distance(of: edge.end))
            return Part(from: min(from, to), to: max(from, to), heights: heights, loss: loss)
        }

        func distance(of place: Position) -> Double { x * (place.x - origin.x) + y * (place.y - origin.y) }

        /// The place at a distance, which is a corner if one is there.
        func place(at distance: Double) -> Position {
            corners.first { abs($0.distance - distance) <= Outline.tolerance }?.place
                ?? Position(x: origin.x + x * distance, y: origin.y + y * distance)
        }
    }

    private var lines: [Line] = []

    mutating func add(_ edge: Outline.Edge, _ loss: Double, _ heights: Range<Double>) {
        let index = index(of: edge)
        lines[index].edges.append(lines[index].part(edge, loss, heights))
        for place in [edge.start, edge.end] { lines[index].corners.append((lines[index].distance(of: place), place)) }
    }

    private mutating func index(of edge: Outline.Edge) -> Int {
        if let index = lines.firstIndex(where: { $0.has(edge) }) { return index }
        lines.append(Line(edge))
        return lines.count - 1
    }

    mutating func addOpening(_ opening: Outline.Edge, _ heights: Range<Double>) {
        guard let index = lines.firstIndex(where: { $0.has(opening) }) else { return }
        lines[index].openings.append(lines[index].part(opening, 0, heights))
    }

    /// Takes a wall that lies on an edge with a loss or a door.
    /// - Returns: whether it does.
    mutating func take(_ wall: Propagation.Wall) -> Bool {
        let edge = Outline.Edge(wall.from, wall.to)
        guard edge.length > 0, wall.bottom < wall.top else { return false }
        for index in lines.indices where lines[index].has(edge) {
            let part = lines[index].part(edge, wall.loss, wall.bottom..<wall.top)
            let meets = lines[index].edges.contains { $0.loss > 0 && $0.overlaps(part) }
            guard meets || lines[index].openings.contains(where: { $0.overlaps(part) }) else { continue }
            lines[index].others.append(part)
            for place in [wall.from, wall.to] { lines[index].corners.append((lines[index].distance(of: place), place)) }
            return true
        }
        return false
    }

    var walls: [Propagation.Wall] { lines.flatMap(Self.walls) }

    private struct Span: Hashable {
        let from, to, loss: Double
    }

    /// The walls on a line: between all ends, and between all heights, the loss is one number; neighbours with the same are one wall.
    private static func walls(on line: Line) -> [Propagation.Wall] {
        let all = line.edges + line.openings + line.others
        var ends: [Double] = []
        for end in all.flatMap({ [$0.from, $0.to] }).sorted() where end - (ends.last ?? -.infinity) > Outline.tolerance
        {
            ends.append(end)
        }
        let heights = Set(all.flatMap { [$0.heights.lowerBound, $0.heights.upperBound] }).sorted()
        var tops: [Span: Int] = [:]
        var walls: [Propagation.Wall] = []
        for (low, high) in zip(heights, heights.dropFirst()) {
            for span in spans(on: line, ends, low..<high) {
                if let index = tops[span], walls[index].top == low {
                    walls[index].top = high
                    continue
                }
                tops[span] = walls.count
                walls.append(
                    Propagation.Wall(
                        from: line.place(at: span.from), to: line.place(at: span.to), loss: span.loss, bottom: low,
                        top: high))
            }
        }
        return walls
    }

    private static func spans(on line: Line, _ ends: [Double], _ band: Range<Double>) -> [Span] {
        var spans: [Span] = []
        for (from, to) in zip(ends, ends.dropFirst()) {
            let middle = (from + to) / 2
            let isOpen = line.openings.contains { $0.covers(middle, band) }
            let others = line.others.reduce(0) { $1.covers(middle, band) ? $0 + $1.loss : $0 }
            let loss = line.edges.reduce(others) { $1.covers(middle, band) ? max($0, $1.loss) : $0 }
            guard !isOpen, loss != 0 else { continue }
            if let last = spans.last, last.to == from, last.loss == loss {
                spans[spans.count - 1] = Span(from: last.from, to: to, loss: loss)
            } else {
                spans.append(Span(from: from, to: to, loss: loss))
            }
        }
        return spans
    }
}
