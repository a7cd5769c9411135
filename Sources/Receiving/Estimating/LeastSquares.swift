// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Space

/// The place at which the RSSI by a model differ least from those received: the least sum of squared differences in dB, by
/// the method of Levenberg and Marquardt, at each height at which something may be.
struct LeastSquares {
    private let levels: [SignalWindow.Level]
    private let map: AnchorMap
    private let bounds: (low: Position, high: Position)

    private static let steps = 60
    /// In metres: a smaller step ends the search.
    private static let precision = 1e-5

    init(_ levels: [SignalWindow.Level], _ map: AnchorMap) {
        self.levels = levels
        self.map = map
        bounds = map.bounds
    }

    /// The place with the least sum, of those that are found from these places on.
    func solution(from starts: [Position]) -> Position {
        var best: (place: Position, cost: Double)?
        for height in map.heights {
            for start in starts {
                let found = search(from: clamped(Position(x: start.x, y: start.y, z: height)))
                if found.cost < best?.cost ?? .infinity { best = found }
            }
        }
        return best?.place ?? starts[0]
    }

    private func search(from start: Position) -> (place: Position, cost: Double) {
        var place = start
        var cost = self.cost(at: place)
        var damping = 1e-2
        for _ in 0..<Self.steps {
            let (normal, gradient) = equations(at: place)
            // (J'J + damping·diagonal)·step = J'·difference, in two unknowns.
            let (a, b, c) = (normal.xx * (1 + damping) + 1e-12, normal.xy, normal.yy * (1 + damping) + 1e-12)
            let determinant = a * c - b * b
            guard determinant > 0 else { break }
            let step = (
                x: (c * gradient.x - b * gradient.y) / determinant, y: (a * gradient.y - b * gradient.x) / determinant
            )
            let next = clamped(Position(x: place.x + step.x, y: place.y + step.y, z: place.z))
            let nextCost = self.cost(at: next)
            guard nextCost < cost else {
                damping *= 4
                if damping > 1e9 { break }
                continue
            }
            let moved = place.distance(to: next)
            (place, cost, damping) = (next, nextCost, damping / 4)
            if moved < Self.precision { break }
        }
        return (place, cost)
    }

    private func cost(at place: Position) -> Double {
        levels.reduce(0) { sum, level in
            let difference = difference(level, at: place)
            return sum + difference * difference
        }
    }

    /// The RSSI received less that of the model, in dB.
    private func difference(_ level: SignalWindow.Level, at place: Position) -> Double {
        let distance = map.anchors[level.anchor].position.distance(to: place)
        return level.rssi - map.signal.rssi(at: distance, power: level.power)
    }

    private func equations(
        at place: Position
    ) -> (normal: (xx: Double, xy: Double, yy: Double), gradient: (x: Double, y: Double)) {
        var normal = (xx: 0.0, xy: 0.0, yy: 0.0)
        var gradient = (x: 0.0, y: 0.0)
        for level in levels {
            let anchor = map.anchors[level.anchor].position
            let distance = max(anchor.distance(to: place), 1e-6)
            let slope = map.signal.slope(at: distance)
            let (x, y) = (slope * (place.x - anchor.x) / distance, slope * (place.y - anchor.y) / distance)
            let difference = difference(level, at: place)
            normal.xx += x * x
            normal.xy += x * y
            normal.yy += y * y
            gradient.x += x * difference
            gradient.y += y * difference
        }
        return (normal, gradient)
    }

    private func clamped(_ place: Position) -> Position {
        Position(
            x: min(max(place.x, bounds.low.x), bounds.high.x), y: min(max(place.y, bounds.low.y), bounds.high.y),
            z: place.z)
    }
}
