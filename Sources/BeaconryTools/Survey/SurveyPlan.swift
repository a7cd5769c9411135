// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Profiles
import Receiving
import Space

/// Whose places are estimated in a run, by what, and when.
package struct SurveyPlan: Sendable {
    /// The receivers, each among the beacons that do not move; or the beacons, each among the receivers that do not move.
    let subjects: [String]
    /// Whether the subjects are beacons.
    let areBeacons: Bool
    /// The names of the others.
    let anchors: [String]
    /// The time from one estimate to the next.
    let period: Duration
    /// How long a subject stays at each place before it jumps to the next one; `nil` for subjects that move as people do.
    var dwell: Duration?

    /// The plan for a scenario or a profile: the receivers that move and scan within the run are its subjects. If none moves, the
    /// beacons that move are, and if none of these moves either, all of these receivers are.
    /// - Parameters:
    ///   - names: the only subjects; `nil` for those that follow from what moves.
    ///   - moved: the names of what the timeline moves.
    init(for profile: Profile, moved: Set<String> = [], subjects names: Set<String>? = nil, every period: Duration) {
        func moves(_ name: String, _ movement: Movement?) -> Bool {
            moved.contains(name) || movement?.motion.isMoving == true
        }
        let beacons = profile.beacons.filter { $0.movement != nil }
        let receivers = profile.receivers
        let moving = receivers.filter { moves($0.id, $0.movement) }.map(\.id)
        let tags = beacons.filter { moves($0.id, $0.movement) }.map(\.id)
        let tagNames = names.map { names in profile.beacons.map(\.id).filter(names.contains) } ?? tags
        areBeacons = names == nil ? moving.isEmpty && !tags.isEmpty : !tagNames.isEmpty
        if areBeacons {
            subjects = tagNames
            anchors = receivers.filter { !moves($0.id, $0.movement) && $0.movement != nil }.map(\.id)
        } else {
            subjects =
                names.map { names in receivers.map(\.id).filter(names.contains) }
                ?? (moving.isEmpty ? receivers.map(\.id) : moving)
            anchors = beacons.filter { !moves($0.id, $0.movement) }.map(\.id)
        }
        self.period = period
    }
}

extension SurveyPlan {
    /// The anchors with a position, in the order of the profile.
    func places(ofAnchorsIn profile: Profile) -> [(name: String, position: Position)] {
        let names = Set(anchors)
        let ends: [(name: String, position: Position?)] =
            areBeacons
            ? profile.receivers.map { ($0.id, $0.movement?.motion.position(at: .zero)) }
            : profile.beacons.map { ($0.id, $0.position) }
        return ends.compactMap { end in
            guard let position = end.position, names.contains(end.name) else { return nil }
            return (end.name, position)
        }
    }

    /// The plan for the expectations of a scenario that are about estimates; `nil` if none is.
    init?(forExpectationsOf scenario: Scenario) {
        let names = scenario.expectations.compactMap { expectation -> String? in
            switch expectation.subject {
            case .roomError, .medianError: expectation.receiver
            default: nil
            }
        }
        guard !names.isEmpty else { return nil }
        self.init(for: scenario.profile, moved: scenario.movedNames, subjects: Set(names), every: .seconds(1))
    }
}

extension Scenario {
    /// What its timeline moves.
    var movedNames: Set<String> {
        Set(
            steps.compactMap { step in
                if case .move(let name, _) = step.action { name } else { nil }
            })
    }
}
