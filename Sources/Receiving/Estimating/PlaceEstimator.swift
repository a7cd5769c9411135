// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Space

/// Where something may be.
package struct PlaceEstimate: Hashable, Sendable {
    /// The name of the room; `nil` for none.
    package var room: String?
    /// The place; `nil` if it is not known, or only the room is.
    package var position: Position?

    /// Nothing is known.
    package init() {}

    package init(room: String?, position: Position?) {
        self.room = room
        self.position = position
    }

    /// Whether nothing is known.
    package var isEmpty: Bool { room == nil && position == nil }
}

/// An estimator of the room and the place of a phone among fixed beacons, or of a tag among fixed receivers.
///
/// It takes the readings in the order of time, and averages those of each anchor over the last 6 s, in dB.
package struct PlaceEstimator: Sendable {
    /// How the place is found.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The anchor at the least distance, which changes when another one is at most 0.8 times as far for 2 s.
        case nearest
        /// The anchor with the highest RSSI.
        case strongest
        /// The mean of the anchors' places, each with the weight of its inverse squared distance.
        case centroid
        /// The place at which the model has the RSSI with the least squares of differences in dB.
        case leastSquares = "least-squares"

        /// What it does, for tables and help texts.
        package var meaning: String {
            switch self {
            case .nearest: "the anchor at the least distance; another one must be at most 0.8 times as far for 2 s"
            case .strongest: "the anchor with the highest RSSI"
            case .centroid: "the mean of the anchors' places, weighted by their inverse squared distances"
            case .leastSquares: "the place whose RSSI by the model differ least, by their squares in dB"
            }
        }
    }

    private static let hysteresis = (ratio: 0.8, time: Duration.seconds(2))

    /// How long a reading counts.
    package static let window = SignalWindow.length

    private let kind: Kind
    private var map: AnchorMap
    private var places: [String: Int]
    private var window: SignalWindow
    /// The nearest anchor.
    private var nearest: Int?
    /// Another anchor that is nearer, and since when.
    private var rival: (anchor: Int, since: Duration)?

    /// An estimator without readings.
    package init(_ kind: Kind, _ map: AnchorMap) {
        self.kind = kind
        self.map = map
        places = Self.places(in: map)
        window = SignalWindow(anchors: map.anchors.count)
    }

    private static func places(in map: AnchorMap) -> [String: Int] {
        Dictionary(zip(map.anchors.map(\.name), map.anchors.indices), uniquingKeysWith: { first, _ in first })
    }

    /// Takes another map; the readings of anchors that are in both stay.
    package mutating func setMap(_ next: AnchorMap) {
        guard next != map else { return }
        window = SignalWindow(next.anchors.map { places[$0.name] }, of: window)
        map = next
        places = Self.places(in: next)
        (nearest, rival) = (nil, nil)
    }

    /// Takes a reading; one of an unknown anchor has no effect.
    package mutating func take(_ reading: AnchorReading) {
        if let anchor = places[reading.anchor] { window.add(reading, of: anchor) }
    }

    /// The estimate at a time; an empty one without readings in the last 6 s.
    package mutating func estimate(at time: Duration) -> PlaceEstimate {
        let levels = window.levels(at: time)
        guard !levels.isEmpty else {
            (nearest, rival) = (nil, nil)
            return PlaceEstimate()
        }
        switch kind {
        case .nearest: return place(of: nearestAnchor(levels, time))
        case .strongest: return place(of: Self.strongest(levels).anchor)
        case .centroid: return place(at: centroid(levels))
        case .leastSquares:
            return place(
                at: LeastSquares(levels, map).solution(from: [centroid(levels), position(Self.strongest(levels))]))
        }
    }

    /// The name of the anchor with the highest mean RSSI in the last 6 s; `nil` without readings.
    package mutating func strongestAnchor(at time: Duration) -> String? {
        let levels = window.levels(at: time)
        return levels.isEmpty ? nil : map.anchors[Self.strongest(levels).anchor].name
    }

    private static func strongest(_ levels: [SignalWindow.Level]) -> SignalWindow.Level {
        levels.dropFirst().reduce(levels[0]) { $1.rssi > $0.rssi ? $1 : $0 }
    }

    // MARK: - Nearest

    private mutating func nearestAnchor(_ levels: [SignalWindow.Level], _ time: Duration) -> Int {
        let distances = Dictionary(
            uniqueKeysWithValues: levels.map { ($0.anchor, map.signal.distance(rssi: $0.rssi, power: $0.power)) })
        let least =
            levels.map(\.anchor).min { distances[$0] ?? .infinity < distances[$1] ?? .infinity } ?? levels[0].anchor
        guard let present = nearest, let distance = distances[present] else {
            (nearest, rival) = (least, nil)
            return least
        }
        guard least != present, distances[least] ?? .infinity <= Self.hysteresis.ratio * distance else {
            rival = nil
            return present
        }
        let since = rival.flatMap { $0.anchor == least ? $0.since : nil } ?? time
        guard time - since >= Self.hysteresis.time else {
            rival = (least, since)
            return present
        }
        (nearest, rival) = (least, nil)
        return least
    }

    // MARK: - Places

    private func centroid(_ levels: [SignalWindow.Level]) -> Position {
        var (x, y, z, sum) = (0.0, 0.0, 0.0, 0.0)
        for level in levels {
            let distance = map.signal.distance(rssi: level.rssi, power: level.power)
            let (weight, place) = (1 / (distance * distance), position(level))
            x += weight * place.x
            y += weight * place.y
            z += weight * place.z
            sum += weight
        }
        return Position(x: x / sum, y: y / sum, z: z / sum)
    }

    private func position(_ level: SignalWindow.Level) -> Position { map.anchors[level.anchor].position }

    private func place(of anchor: Int) -> PlaceEstimate {
        PlaceEstimate(room: map.anchors[anchor].room, position: map.anchors[anchor].position)
    }

    private func place(at position: Position) -> PlaceEstimate {
        PlaceEstimate(room: map.building.room(at: position)?.id, position: position)
    }
}
