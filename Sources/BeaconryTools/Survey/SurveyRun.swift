// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Profiles
import Receiving
import Space

/// The samples of one scenario's run: small beside the readings, of which they are made.
struct SurveyEstimates: Sendable {
    typealias Walks = [(subject: String, samples: [SurveySample])]

    let plan: SurveyPlan
    let building: Building
    /// The samples that count, of each subject.
    let walks: Walks
    /// The same without one of the anchors, in the order of the profile; empty if that was not asked for.
    let without: [(anchor: String, walks: Walks)]

    /// Estimates the places of a run's subjects.
    /// - Parameter leavesOut: whether the estimates are also made without each anchor.
    /// - Throws: `Failure` if the command of a user fails.
    init(_ trace: SurveyTrace, by choice: EstimatorChoice, leavesOut: Bool) async throws {
        plan = trace.plan
        building = trace.map.building
        walks = try await trace.walks { _ in choice }
        var without: [(anchor: String, walks: Walks)] = []
        if leavesOut, trace.map.anchors.count > 1 {
            for anchor in trace.map.anchors.map(\.name) {
                without.append((anchor, try await trace.walks(without: anchor) { _ in choice }))
            }
        }
        self.without = without
    }
}

/// What an estimator has found with one seed of a survey.
struct SurveyRun: Sendable {
    /// The seed of the air.
    let seed: UInt64
    /// The figures of all subjects in all rooms.
    let figures: SurveyFigures
    /// The figures of each subject, in the order of the profile.
    let subjects: [(name: String, figures: SurveyFigures)]
    /// The figures of the samples in each room, in the order of the building.
    let rooms: [(name: String, figures: SurveyFigures)]
    /// The figures without one of the anchors, in the order of the profile; empty if that was not asked for.
    let without: [(name: String, figures: SurveyFigures)]
    /// The numbers of the samples in a room (the first key) with a room as the estimate (the second; empty for none).
    let confusion: [String: [String: Int]]
    /// The samples that count, of all subjects.
    let samples: [SurveySample]

    /// - Parameter estimates: those of one seed; of a grid, one for each room.
    init(_ estimates: [SurveyEstimates], seed: UInt64) {
        guard let first = estimates.first else { preconditionFailure("a run has estimates") }
        let (period, isGrid) = (first.plan.period, first.plan.dwell != nil)
        func figures(_ walks: SurveyEstimates.Walks, of room: String? = nil) -> SurveyFigures {
            SurveyFigures(walks.map(\.samples), every: period, isGrid: isGrid, of: room)
        }
        let walks = estimates.flatMap(\.walks)
        self.seed = seed
        self.figures = figures(walks)
        subjects = first.plan.subjects.map { name in (name, figures(walks.filter { $0.subject == name })) }
        rooms = first.building.rooms.map { room in (room.id, figures(walks, of: room.id)) }
        without = first.without.indices.map { index in
            (first.without[index].anchor, figures(estimates.flatMap { $0.without[index].walks }))
        }
        samples = walks.flatMap(\.samples)
        var confusion: [String: [String: Int]] = [:]
        for sample in samples {
            if let room = sample.room { confusion[room, default: [:]][sample.estimate.room ?? "", default: 0] += 1 }
        }
        self.confusion = confusion
    }
}

extension SurveyTrace {
    /// The samples that count, of each subject.
    /// - Parameters:
    ///   - anchor: an anchor whose readings are left out; `nil` for none.
    ///   - choice: the estimator of a subject.
    func walks(
        without anchor: String? = nil, by choice: (String) -> EstimatorChoice
    ) async throws -> SurveyEstimates.Walks {
        var walks: SurveyEstimates.Walks = []
        let map = anchor.map(map.without) ?? map
        for subject in subjects {
            let choice = choice(subject.name)
            let samples: [SurveySample]
            switch choice {
            case .ours: samples = try self.samples(of: subject, without: anchor, by: choice, map)
            case .command:
                // It is waited for: on a thread that no task needs.
                samples = try await withCheckedThrowingContinuation { continuation in
                    DispatchQueue(label: "estimator").async {
                        continuation.resume(
                            with: Result { try self.samples(of: subject, without: anchor, by: choice, map) })
                    }
                }
            }
            walks.append((subject.name, samples))
        }
        return walks
    }

    private func samples(
        of subject: Subject, without anchor: String?, by choice: EstimatorChoice, _ map: AnchorMap
    ) throws -> [SurveySample] {
        var estimator = try choice.estimator(map, of: subject.name, isBeacon: plan.areBeacons)
        defer { estimator.end() }
        var samples: [SurveySample] = []
        var next = 0
        for (number, place) in subject.places.enumerated() {
            let time = time(ofSample: number)
            while next < subject.readings.count, subject.readings[next].time <= time {
                if subject.readings[next].anchor != anchor { try estimator.take(subject.readings[next]) }
                next += 1
            }
            let estimate = try estimator.estimate(at: time)
            guard let place, counts(sample: number) else { continue }
            samples.append(
                SurveySample(time: time, place: place, room: map.building.room(at: place)?.id, estimate: estimate))
        }
        return samples
    }
}
