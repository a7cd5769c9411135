// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Profiles
import Receiving
import Space

/// What a run has recorded for estimators: what was received, and where the subjects were.
package struct SurveyTrace: Sendable {
    /// A receiver or a beacon whose place is estimated.
    struct Subject: Sendable {
        let name: String
        /// The readings in the order of time.
        let readings: [AnchorReading]
        /// Where it was at each sample; `nil` without a place.
        let places: [Position?]
    }

    /// What estimators know.
    let map: AnchorMap
    /// The plan of the run.
    let plan: SurveyPlan
    /// The subjects in the order of the plan.
    let subjects: [Subject]

    /// The time of a sample, since the start.
    func time(ofSample number: Int) -> Duration { plan.period * (number + 1) }

    /// Whether a sample counts: not while readings of the place before are in an estimator's window.
    func counts(sample number: Int) -> Bool {
        guard let dwell = plan.dwell else { return true }
        return time(ofSample: number).remainder(of: dwell) >= PlaceEstimator.window
    }
}

extension SurveyTrace {
    /// What a scenario's run has recorded.
    /// - Parameters:
    ///   - trace: what the receivers received.
    ///   - places: where the subjects were at the samples.
    init(
        _ plan: SurveyPlan, of profile: Profile, _ propagation: Propagation, _ trace: ScenarioTrace,
        _ places: [String: [Position?]]
    ) {
        let map = AnchorMap(
            plan.places(ofAnchorsIn: profile), in: Building(for: [profile]), SignalModel(of: propagation))
        self.map = map
        self.plan = plan
        let phones = Dictionary(
            profile.receivers.map { ($0.id, $0.listener?.phone.system) }, uniquingKeysWith: { first, _ in first })
        subjects = plan.subjects.map { subject in
            let readings = map.anchors.flatMap { anchor -> [AnchorReading] in
                let (beacon, receiver) = plan.areBeacons ? (subject, anchor.name) : (anchor.name, subject)
                // An app on an iPhone gets no packets, but one report a second.
                let isRanged = phones[receiver] == .iOS
                return (isRanged ? trace.ranges(of: beacon, at: receiver) : trace.levels(of: beacon, at: receiver)).map
                {
                    AnchorReading(at: $0.time, anchor.name, rssi: $0.rssi, power: $0.power)
                }
            }
            return Subject(
                name: subject, readings: readings.sorted { ($0.time, $0.anchor) < ($1.time, $1.anchor) },
                places: places[subject] ?? [])
        }
    }
}
