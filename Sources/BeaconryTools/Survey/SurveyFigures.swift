// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Receiving
import Space

/// Where something was at a moment, and where an estimator has it.
struct SurveySample: Sendable {
    /// Since the start.
    let time: Duration
    let place: Position
    /// The room of that place; `nil` outside of all rooms.
    let room: String?
    let estimate: PlaceEstimate

    /// The distance between the place and the estimate, seen from above, in metres; `nil` without an estimate of the place.
    var error: Double? {
        estimate.position.map { Position(x: $0.x, y: $0.y).distance(to: Position(x: place.x, y: place.y)) }
    }
}

/// How well an estimator has found one subject or several, in a room or in all.
struct SurveyFigures: Hashable, Sendable {
    /// The samples that count.
    var samples = 0
    /// Of the samples in a room, the share with that room as the estimate, from 0 to 1; `nil` without such samples.
    var right: Double?
    /// Of the samples in a room, the share with another estimate, or none.
    var roomError: Double? { right.map { 1 - $0 } }
    /// The share of the samples without an estimate.
    var lost: Double?
    /// The changes of the estimate to a room in which the subject is not, for each hour; `nil` for subjects on a grid.
    var wrongChanges: Double?
    /// The mean time from entering a room to the first estimate of it, in seconds; of visits with such an estimate.
    var enter: Double?
    /// The mean time from leaving a room to the first estimate that is not that room, in seconds; of rooms that were estimated
    /// when they were left.
    var leave: Double?
    /// The median error in metres; `nil` without estimates of the place.
    var median: Double?
    /// The 75th percentile of the error in metres.
    var upperQuartile: Double?
    /// The 95th percentile of the error in metres.
    var percentile95: Double?

    /// A figure, as it is in reports.
    struct Kind: Sendable {
        /// Its name in JSON and in expectations.
        let name: String
        /// `m`, `s` or `/h`; empty for a share.
        let unit: String
        /// Whether a greater value is the better one.
        let isGreaterBetter: Bool
        let value: @Sendable (SurveyFigures) -> Double?

        /// Whether it is a share from 0 to 1.
        var isShare: Bool { unit.isEmpty }

        /// The values that there may be.
        var range: ClosedRange<Double> { 0...(isShare ? 1 : .infinity) }

        /// As people read it.
        func text(_ value: Double) -> String {
            switch unit {
            case "": PassRate.percent(value)
            case "m": "\(Formatting.hundredths(value)) m"
            default: "\(Formatting.metres(value))\(unit == "s" ? " s" : unit)"
            }
        }

        fileprivate init(
            _ name: String, _ unit: String = "", isGreaterBetter: Bool = false,
            _ value: @escaping @Sendable (SurveyFigures) -> Double?
        ) {
            self.name = name
            self.unit = unit
            self.isGreaterBetter = isGreaterBetter
            self.value = value
        }
    }

    /// All figures, in the order of reports; docs/surveys.md says what they are.
    static let kinds = [
        Kind("right", isGreaterBetter: true) { $0.right }, Kind("room-error") { $0.roomError },
        Kind("lost") { $0.lost },
        Kind("wrong-changes", "/h") { $0.wrongChanges }, Kind("enter", "s") { $0.enter },
        Kind("leave", "s") { $0.leave },
        Kind("median-error", "m") { $0.median }, Kind("p75-error", "m") { $0.upperQuartile },
        Kind("p95-error", "m") { $0.percentile95 },
    ]

    /// The values by their names; a figure without a value is absent.
    var values: [String: Double] {
        Dictionary(uniqueKeysWithValues: Self.kinds.compactMap { kind in kind.value(self).map { (kind.name, $0) } })
    }
}

extension SurveyFigures {
    /// The figures of samples.
    /// - Parameters:
    ///   - walks: the samples that count, of each subject in the order of time.
    ///   - isGrid: whether subjects jump from place to place, so that there are no visits of rooms.
    ///   - room: the only room whose samples count; `nil` for all.
    init(_ walks: [[SurveySample]], every period: Duration, isGrid: Bool, of room: String? = nil) {
        let all = walks.flatMap(\.self).filter { room == nil || $0.room == room }
        samples = all.count
        guard samples > 0 else { return }
        let inRooms = all.filter { $0.room != nil }
        if !inRooms.isEmpty { right = Double(inRooms.count { $0.estimate.room == $0.room }) / Double(inRooms.count) }
        lost = Double(all.count { $0.estimate.isEmpty }) / Double(samples)
        let errors = all.compactMap(\.error).sorted()
        median = Self.quantile(0.5, of: errors)
        upperQuartile = Self.quantile(0.75, of: errors)
        percentile95 = Self.quantile(0.95, of: errors)
        guard !isGrid else { return }
        let visits = walks.map { Visits($0, of: room) }
        if !inRooms.isEmpty {
            let hours = Double(samples) * (period / .seconds(3600))
            wrongChanges = Double(visits.reduce(0) { $0 + $1.wrongChanges }) / hours
        }
        enter = Self.mean(visits.flatMap(\.enterings))
        leave = Self.mean(visits.flatMap(\.leavings))
    }

    private static func mean(_ durations: [Duration]) -> Double? {
        durations.isEmpty ? nil : durations.reduce(.zero, +) / .seconds(1) / Double(durations.count)
    }

    /// A quantile of numbers in order, between the two nearest ones in proportion; `nil` without numbers.
    static func quantile(_ part: Double, of sorted: [Double]) -> Double? {
        guard let last = sorted.indices.last else { return nil }
        let place = part * Double(last)
        let low = Int(place)
        guard low < last else { return sorted[last] }
        return sorted[low] + (place - Double(low)) * (sorted[low + 1] - sorted[low])
    }
}

/// The visits of rooms on one walk.
private struct Visits {
    /// The times from entering a room to the first estimate of it.
    private(set) var enterings: [Duration] = []
    /// The times from leaving a room to the first estimate of another one.
    private(set) var leavings: [Duration] = []
    /// The changes of the estimate to a room in which the subject is not.
    private(set) var wrongChanges = 0

    /// - Parameter only: the only room whose visits count; `nil` for all.
    init(_ walk: [SurveySample], of only: String?) {
        var entered: (room: String, time: Duration)?
        var left: (room: String, time: Duration)?
        func counts(_ room: String?) -> Bool { only == nil || room == only }
        for (before, sample) in zip(walk, walk.dropFirst()) {
            if sample.room != before.room {
                // One that is not noticed before the next change never is, and one that was not known cannot be left.
                entered = sample.room.map { ($0, sample.time) }
                left = before.room.flatMap { $0 == before.estimate.room ? ($0, sample.time) : nil }
            }
            let estimate = sample.estimate.room
            if let visit = entered, estimate == visit.room {
                if counts(visit.room) { enterings.append(sample.time - visit.time) }
                entered = nil
            }
            if let visit = left, estimate != visit.room {
                if counts(visit.room) { leavings.append(sample.time - visit.time) }
                left = nil
            }
            if let estimate, estimate != before.estimate.room, estimate != sample.room, counts(sample.room) {
                wrongChanges += 1
            }
        }
    }
}
