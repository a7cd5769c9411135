// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// When something that moves enters or leaves a room next.
package enum RoomChange: Hashable, Sendable {
    /// Never.
    case never
    /// At a time in seconds, into a room by its name; `nil` for none.
    case at(Double, room: String?)
    /// Not before a time in seconds, from which another search begins.
    case notBefore(Double)
}

extension Building {
    /// The number of pieces of a motion that one search looks at.
    private static let piecesOfASearch = 500
    /// Times in seconds that are nearer to each other are one.
    private static let shortest = 1e-9

    /// The next change of the room of something that moves.
    /// - Parameters:
    ///   - time: the beginning of the search, in seconds.
    ///   - room: the name of the room that it is in before; `nil` for none.
    ///
    /// A motion consists of pieces, straight lines and circles. Between two places at which a piece meets the line of a wall or the
    /// height of a floor, the room is one.
    package func nextChange(of motion: Motion, after time: Double, in room: String?) -> RoomChange {
        guard !rooms.isEmpty else { return .never }
        var pieces = MotionPieces(motion, after: time)
        for _ in 0..<Self.piecesOfASearch {
            guard let piece = pieces.next() else { return .never }
            var times = [max(piece.start, time), piece.end]
            times += crossings(of: piece).filter { $0 > times[0] && $0 < times[1] }
            times.sort()
            for (from, to) in zip(times, times.dropFirst()) where to - from > Self.shortest {
                let next = self.room(at: motion.position(atSeconds: (from + to) / 2))?.id
                if next != room { return .at(from, room: next) }
            }
        }
        return .notBefore(max(pieces.time, time + 0.001))
    }

    /// The times at which a piece may be in another room than before.
    private func crossings(of piece: MotionPieces.Piece) -> [Double] {
        var times: [Double] = []
        for floor in floors { times += piece.times(atHeight: floor.height) }
        for room in rooms {
            for edge in Outline(room.outline).edges { times += piece.times(on: edge) }
        }
        return times
    }
}

/// The pieces of a motion from a time on, up to the end of one round of a motion that repeats.
private struct MotionPieces {
    struct Piece {
        let start, end: Double
        let shape: Shape

        enum Shape {
            case line(Position, Position)
            case circle(Motion.Orbit)
        }

        /// When it is at a height.
        func times(atHeight height: Double) -> [Double] {
            guard case .line(let from, let to) = shape, (from.z < height) != (to.z < height) else { return [] }
            return [time(at: (height - from.z) / (to.z - from.z))]
        }

        /// When it is on the straight line through an edge.
        func times(on edge: Outline.Edge) -> [Double] {
            switch shape {
            case .line(let from, let to):
                let (first, second) = (edge.side(of: from), edge.side(of: to))
                return (first < 0) != (second < 0) ? [time(at: first / (first - second))] : []
            case .circle(let orbit): return times(of: orbit, on: edge)
            }
        }

        private func time(at part: Double) -> Double { start + part * (end - start) }

        private func times(of orbit: Motion.Orbit, on edge: Outline.Edge) -> [Double] {
            // The distance of the centre from the line, on the left of the edge, and the direction to the left.
            let distance = edge.side(of: orbit.centre) / edge.length
            let radius = abs(orbit.radius)
            guard abs(distance) < radius, edge.length > 0 else { return [] }
            let left = atan2(edge.end.x - edge.start.x, edge.start.y - edge.end.y) + (orbit.radius < 0 ? .pi : 0)
            let half = acos(-distance / radius)
            let period = orbit.period.inSeconds
            return [left + half, left - half].flatMap { angle -> [Double] in
                let part = angle / (2 * .pi) - orbit.angle / 360
                let first = (start / period - part).rounded(.down)
                return [0, 1, 2].map { (first + part + $0) * period }
            }
        }
    }

    private let motion: Motion
    private let end: Double
    /// Where the next piece begins.
    private(set) var time: Double
    private var index = 0

    init(_ motion: Motion, after time: Double) {
        self.motion = motion
        self.time = time
        switch motion {
        case .rest: end = time
        case .orbit(let orbit): end = time + orbit.period.inSeconds
        case .path(let path):
            let last = path.points[path.points.count - 1].time
            end = path.repeats && last > 0 ? time + last : last
            let within = time - Self.round(of: path, at: time) * last
            index = path.points.firstIndex { $0.time > within } ?? path.points.count
        }
    }

    /// The number of rounds that are over.
    private static func round(of path: Motion.Path, at time: Double) -> Double {
        let last = path.points[path.points.count - 1].time
        return path.repeats && last > 0 ? (time / last).rounded(.down) : 0
    }

    mutating func next() -> Piece? {
        guard time < end else { return nil }
        switch motion {
        case .rest: return nil
        case .orbit(let orbit):
            let piece = Piece(start: time, end: end, shape: .circle(orbit))
            time = end
            return piece
        case .path(let path): return nextLine(of: path)
        }
    }

    private mutating func nextLine(of path: Motion.Path) -> Piece? {
        let points = path.points
        let last = points[points.count - 1].time
        if index == points.count {
            guard path.repeats else { return nil }
            index = points.firstIndex { $0.time > 0 } ?? points.count
            guard index < points.count else { return nil }
        }
        let start = index == 0 ? 0 : points[index - 1].time
        // The round in which this piece is: its start is at the present time, or before it.
        let round = path.repeats && last > 0 ? ((time - start) / last + 1e-9).rounded(.down) * last : 0
        let from = points[max(index - 1, 0)].position
        let piece = Piece(
            start: round + start, end: round + points[index].time, shape: .line(from, points[index].position))
        time = piece.end
        index += 1
        return piece
    }
}
