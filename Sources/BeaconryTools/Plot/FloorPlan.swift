// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Profiles
import Space

/// A map of beacons, receivers, walls and paths, seen from above; in metres.
struct FloorPlan: Hashable, Sendable {
    /// A named place.
    struct Mark: Hashable, Sendable {
        let name: String
        let position: Position
    }

    /// A wall between two places.
    struct Wall: Hashable, Sendable {
        let from, to: Position
    }

    /// A path through places.
    struct Path: Hashable, Sendable {
        let name: String
        let places: [Position]
    }

    /// More marks than this cannot be distinguished.
    private static let drawnMarks = 500

    var beacons: [Mark] = []
    var receivers: [Mark] = []
    var walls: [Wall] = []
    var paths: [Path] = []

    /// Whether there is nothing to draw.
    var isEmpty: Bool { beacons.isEmpty && receivers.isEmpty && walls.isEmpty && paths.isEmpty }

    /// Draws the map into a square.
    /// - Parameters:
    ///   - style: the class of a beacon of this name.
    func draw(
        _ svg: inout SVGWriter, left: Double, top: Double, side: Double, style: (String) -> String
    ) {
        let (across, up) = axes(left: left, top: top, side: side)
        func place(_ position: Position) -> (x: String, y: String) {
            (SVGWriter.number(across.pixel(position.x)), SVGWriter.number(up.pixel(position.y)))
        }
        func path(_ places: [Position]) -> String {
            places.enumerated().map { index, position in
                let (x, y) = place(position)
                return "\(index == 0 ? "M" : "L")\(x) \(y)"
            }.joined()
        }
        var names = NamePlaces()
        func label(_ mark: Mark, _ svg: inout SVGWriter) {
            let x = across.pixel(mark.position.x) + 8
            let y = names.height(of: mark.name, x: x, near: up.pixel(mark.position.y) + 4)
            svg.add("text", [("x", SVGWriter.number(x)), ("y", SVGWriter.number(y))], text: mark.name)
        }
        ChartFrame(x: across, y: up).draw(&svg)
        svg.add("g", [("class", "walls")]) { svg in
            for wall in walls { svg.add("path", [("class", "wall"), ("d", path([wall.from, wall.to]))]) }
        }
        svg.add("g", [("class", "paths")]) { svg in
            for each in paths where !each.places.isEmpty {
                svg.add("path", [("class", "path"), ("d", path(each.places))]) { svg in
                    svg.add("title", text: each.name)
                }
            }
        }
        for receiver in receivers.prefix(Self.drawnMarks) {
            let (x, y) = (across.pixel(receiver.position.x), up.pixel(receiver.position.y) - 6)
            let corner = "M\(SVGWriter.number(x)) \(SVGWriter.number(y))"
            svg.add("path", [("class", "receiver"), ("d", corner + "l6 11h-12z")])
            label(receiver, &svg)
        }
        for beacon in beacons.prefix(Self.drawnMarks) {
            let (x, y) = place(beacon.position)
            svg.add("g", [("class", style(beacon.name))]) { svg in
                svg.add("circle", [("class", "mark"), ("cx", x), ("cy", y), ("r", "5")])
                label(beacon, &svg)
            }
        }
    }

    /// The axes: both have the same scale, and a margin around all places.
    func axes(left: Double, top: Double, side: Double) -> (x: ChartAxis, y: ChartAxis) {
        let places =
            (beacons + receivers).map(\.position) + walls.flatMap { [$0.from, $0.to] } + paths.flatMap(\.places)
        return ChartAxis.square(around: places, left: left, top: top, side: side)
    }
}

/// The places of names on a map, which do not cover each other as far as there is room near their marks.
private struct NamePlaces {
    /// In pixels, for letters of the size of the chart.
    private static let (letterWidth, lineHeight) = (6.5, 12.0)
    /// The lines to try, from the line of the mark.
    private static let lines = [0.0, 1, -1, 2, -2, 3, -3]

    private var taken: [(left: Double, right: Double, y: Double)] = []

    /// The height of a name: the height of its mark, or the nearest height where the name covers no other name.
    mutating func height(of name: String, x: Double, near y: Double) -> Double {
        let right = x + Self.letterWidth * Double(name.count)
        func isFree(_ y: Double) -> Bool {
            !taken.contains { x < $0.right && $0.left < right && abs($0.y - y) < Self.lineHeight }
        }
        let free = Self.lines.lazy.map { y + $0 * Self.lineHeight }.first(where: isFree) ?? y
        taken.append((x, right, free))
        return free
    }
}

extension FloorPlan {
    /// What profiles have on the virtual air: the places at the start, and the paths of everything that moves.
    init(_ profiles: [Profile]) {
        let motions =
            profiles.flatMap(\.beacons).map { ($0.id, $0.movement?.motion) }
            + profiles.flatMap(\.receivers).map { ($0.id, $0.movement?.motion) }
        self.init(
            beacons: profiles.flatMap(\.beacons).compactMap { Mark($0.id, $0.movement?.motion) },
            receivers: profiles.flatMap(\.receivers).compactMap { Mark($0.id, $0.movement?.motion) },
            walls: Propagation(for: profiles).walls.map { Wall(from: $0.from, to: $0.to) },
            paths: motions.compactMap { Path($0, $1) })
    }
}

extension FloorPlan.Mark {
    /// The place at the start; `nil` without a position.
    fileprivate init?(_ name: String, _ motion: Motion?) {
        guard let motion else { return nil }
        self.init(name: name, position: motion.position(at: .zero))
    }
}

extension FloorPlan.Path {
    /// More corners than this cannot be distinguished; a circle has fewer.
    private static let corners = (path: 2000, circle: 72)

    /// The path of a motion; `nil` if it does not move.
    fileprivate init?(_ name: String, _ motion: Motion?) {
        guard let motion, motion.isMoving else { return nil }
        switch motion {
        case .rest: return nil
        case .path(let path):
            let step = max(1, path.points.count / Self.corners.path)
            var places = stride(from: 0, to: path.points.count, by: step).map { path.points[$0].position }
            places.append(path.points[path.points.count - 1].position)
            self.init(name: name, places: places)
        case .orbit(let orbit):
            let places = (0...Self.corners.circle).map { corner in
                motion.position(at: orbit.period * (Double(corner) / Double(Self.corners.circle)))
            }
            self.init(name: name, places: places)
        }
    }
}
