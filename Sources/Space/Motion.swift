// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where something is as a function of time: at rest, on a path, or in an orbit.
///
/// The position depends on the time only: nothing moves step by step, no timer runs, and the same time gives the same
/// position in every run. Indirect, since most of what has a place does not move: the medium passes over it in each packet.
package indirect enum Motion: Hashable, Sendable {
    /// It does not move.
    case rest(Position)
    /// It moves from point to point.
    case path(Path)
    /// It moves in a circle.
    case orbit(Orbit)

    /// The position at a time since the start.
    package func position(at time: Duration) -> Position { position(atSeconds: time.inSeconds) }

    /// The position at a time in seconds since the start.
    package func position(atSeconds time: Double) -> Position {
        switch self {
        case .rest(let position): position
        case .path(let path): path.position(at: time)
        case .orbit(let orbit): orbit.position(at: time)
        }
    }

    /// The direction of the movement at a time in seconds since the start, in degrees clockwise from the second axis; `nil` for
    /// what never moves. A pause has the direction of the movement before it, or else of the first one.
    package func heading(atSeconds time: Double) -> Double? {
        switch self {
        case .rest: nil
        case .path(let path): path.heading(at: time)
        case .orbit(let orbit): orbit.heading(at: time)
        }
    }

    /// A speed in metres per second that it never exceeds; infinite if it jumps.
    package var maximumSpeed: Double {
        switch self {
        case .rest: 0
        case .path(let path): path.maximumSpeed
        case .orbit(let orbit): 2 * .pi * orbit.radius.magnitude / orbit.period.inSeconds
        }
    }

    /// The line on which it moves, for a drawing: the points of a path, or a point each ten degrees of a circle; empty
    /// at rest.
    package var outline: [Position] {
        switch self {
        case .rest: return []
        case .path(let path): return isMoving ? path.points.map(\.position) : []
        case .orbit(let orbit):
            let period = orbit.period.inSeconds
            return isMoving ? (0...36).map { orbit.position(at: period * Double($0) / 36) } : []
        }
    }

    /// Whether its position changes at all.
    package var isMoving: Bool {
        switch self {
        case .rest: false
        case .path(let path): path.points.contains { $0.position != path.points[0].position }
        case .orbit(let orbit): orbit.radius > 0
        }
    }
}

// MARK: - Paths

extension Motion {
    /// Points with their times, and straight lines at constant speeds between them.
    package struct Path: Hashable, Sendable {
        /// A position and its time.
        package struct Point: Hashable, Sendable {
            /// In seconds since the start.
            package let time: Double
            /// The position at that time.
            package let position: Position

            /// A position at a time in seconds.
            package init(_ time: Double, _ position: Position) {
                self.time = time
                self.position = position
            }
        }

        /// The points in the order of their times; never empty.
        package let points: [Point]
        /// Whether it begins again at the time of the last point; else it ends there.
        package let repeats: Bool

        /// A path; before the time of the first point it is at that point. `nil` without points, with a time that is negative
        /// or not finite, or with times that go back.
        package init?(_ points: [Point], repeats: Bool = false) {
            guard let first = points.first, let last = points.last, first.time >= 0, last.time.isFinite,
                zip(points, points.dropFirst()).allSatisfy({ $0.time <= $1.time })
            else { return nil }
            self.points = points
            self.repeats = repeats
        }

        /// A path through places at one speed, from the start on.
        ///
        /// A path that repeats returns on the same way and begins again, so that it never jumps; a path whose last place is its
        /// first is a round, and begins again at once.
        /// - Parameters:
        ///   - speed: in metres per second.
        ///   - pauses: how long it stays at each visit of a place, by the index of the place.
        /// - Returns: `nil` without places, or with a speed that is not above 0.
        package init?(
            through places: [Position], speed: Double, pauses: [Int: Duration] = [:], repeats: Bool = false
        ) {
            guard speed > 0 else { return nil }
            var stops = Array(places.indices)
            let isRound = places.first == places.last
            if repeats, !isRound { stops += stops.dropLast().reversed() }
            var points: [Point] = []
            var time = 0.0
            for (number, stop) in stops.enumerated() {
                if number > 0 { time += places[stops[number - 1]].distance(to: places[stop]) / speed }
                points.append(Point(time, places[stop]))
                // The way back ends where the next round begins, with the pause of the first place.
                let isReturn = number >= places.count && stop == 0
                if let pause = pauses[stop], !isReturn {
                    time += pause.inSeconds
                    points.append(Point(time, places[stop]))
                }
            }
            self.init(points, repeats: repeats)
        }

        /// A path through places at one speed, in a given time.
        /// - Parameters:
        ///   - start: when it is at the first place, in seconds since the start.
        ///   - duration: the time until it is at the last place.
        /// - Returns: `nil` without places, with a negative or infinite start, or with a negative duration.
        package init?(through places: [Position], from start: Double, over duration: Duration) {
            var lengths = [0.0]
            for (from, to) in zip(places, places.dropFirst()) {
                lengths.append(lengths[lengths.count - 1] + from.distance(to: to))
            }
            let (whole, seconds) = (lengths[lengths.count - 1], duration.inSeconds)
            self.init(
                zip(places, lengths).map { place, length in
                    Point(start + (whole > 0 ? seconds * (length / whole) : 0), place)
                })
        }

        /// The position at a time in seconds since the start.
        func position(at time: Double) -> Position {
            let last = points[points.count - 1]
            var time = time
            if repeats, last.time > 0, time > last.time { time = time.truncatingRemainder(dividingBy: last.time) }
            let next = index(after: time)
            guard next > 0 else { return points[0].position }
            guard next < points.count else { return last.position }
            let (from, to) = (points[next - 1], points[next])
            let part = (time - from.time) / (to.time - from.time)
            let (start, end) = (from.position, to.position)
            return Position(
                x: start.x + part * (end.x - start.x), y: start.y + part * (end.y - start.y),
                z: start.z + part * (end.z - start.z))
        }

        /// The direction in degrees at a time in seconds since the start; `nil` without a movement along the first two axes.
        func heading(at time: Double) -> Double? {
            let last = points[points.count - 1]
            var time = time
            if repeats, last.time > 0, time > last.time { time = time.truncatingRemainder(dividingBy: last.time) }
            let end = min(index(after: time), points.count - 1)
            for point in stride(from: end, to: 0, by: -1) {
                if let heading = heading(to: point) { return heading }
            }
            for point in end + 1..<max(points.count, end + 1) {
                if let heading = heading(to: point) { return heading }
            }
            return nil
        }

        /// The direction of the line that ends at a point; `nil` without a length.
        private func heading(to point: Int) -> Double? {
            let (from, to) = (points[point - 1].position, points[point].position)
            guard from.x != to.x || from.y != to.y else { return nil }
            return atan2(to.x - from.x, to.y - from.y) * 180 / .pi
        }

        /// The highest speed between two points in metres per second; infinite between two places at the same time.
        var maximumSpeed: Double {
            var maximum = 0.0
            for (from, to) in zip(points, points.dropFirst()) where from.position != to.position {
                maximum = max(maximum, from.position.distance(to: to.position) / (to.time - from.time))
            }
            let (first, last) = (points[0], points[points.count - 1])
            // It begins again at the first point: without a jump only where that is the last point as well.
            if repeats, last.time > 0, first.position != last.position { return .infinity }
            return maximum
        }

        /// The index of the first point whose time is in the future.
        private func index(after time: Double) -> Int {
            var (low, high) = (0, points.count)
            while low < high {
                let middle = (low + high) / 2
                if points[middle].time <= time { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}

// MARK: - Orbits

extension Motion {
    /// A circle at a constant height and speed, anticlockwise as seen from above with the axes as in a drawing.
    package struct Orbit: Hashable, Sendable {
        /// The centre, at the height of the orbit.
        package let centre: Position
        /// In metres.
        package let radius: Double
        /// The time of one round.
        package let period: Duration
        /// Where it starts, in degrees from the direction of the first axis.
        package let angle: Double

        /// An orbit; `nil` with a period that is not above 0.
        package init?(centre: Position, radius: Double, period: Duration, angle: Double = 0) {
            guard period > .zero else { return nil }
            self.centre = centre
            self.radius = radius
            self.period = period
            self.angle = angle
        }

        /// The direction in degrees at a time in seconds since the start; `nil` without a radius.
        func heading(at time: Double) -> Double? {
            guard radius != 0 else { return nil }
            let period = period.inSeconds
            let turns = time.truncatingRemainder(dividingBy: period) / period + angle / 360
            return -360 * turns + (radius < 0 ? 180 : 0)
        }

        /// The position at a time in seconds since the start.
        func position(at time: Double) -> Position {
            let period = period.inSeconds
            let turns = time.truncatingRemainder(dividingBy: period) / period + angle / 360
            return Position(
                x: centre.x + radius * cos(2 * .pi * turns), y: centre.y + radius * sin(2 * .pi * turns), z: centre.z)
        }
    }
}

extension Duration {
    /// In seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
