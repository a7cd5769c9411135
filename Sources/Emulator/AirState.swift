// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio

/// Whether a beacon is on the air now, or why it is not: the one answer that lists, health, readiness, metrics and the page use.
///
/// `AirConditions` decides it, from what the beacon is meant to do and what the radio reports. docs/control.md, "On the air",
/// has the table.
package enum AirState: String, CaseIterable, Codable, Hashable, Sendable {
    /// The radio reports that it advertises.
    case onAir = "on-air"
    /// The radio has not reported the result yet.
    case starting
    /// The device is silent at present, for example while a central is connected.
    case paused
    /// It is switched off.
    case disabled
    /// Its schedule has switched it off.
    case scheduledOff = "scheduled-off"
    /// Nothing that it sends is received (`ctl mute`).
    case muted
    /// Its battery is flat (`ctl battery`).
    case flatBattery = "flat-battery"
    /// It is beyond the range of the receiver that walks on the bench.
    case outOfRange = "out-of-range"
    /// The radio is lost or switched off.
    case radioOff = "radio-off"
    /// The radio refuses its advertisement.
    case refused
    /// The radio has stopped it.
    case notOnAir = "not-on-air"

    /// Whether the beacon should be on the air.
    package var isExpected: Bool {
        switch self {
        case .onAir, .starting, .flatBattery, .radioOff, .refused, .notOnAir: true
        case .paused, .disabled, .scheduledOff, .muted, .outOfRange: false
        }
    }

    /// Whether the beacon should be on the air, and is not.
    package var isMissing: Bool { isExpected && self != .onAir }

    /// The state as the end of a sentence that begins with the beacon.
    package var clause: String {
        switch self {
        case .onAir: "on the air"
        case .starting: "starting"
        case .paused: "silent at present"
        case .disabled: "off"
        case .scheduledOff: "off by its schedule"
        case .muted: "muted"
        case .flatBattery: "flat battery"
        case .outOfRange: "out of the range of the receiver"
        case .radioOff: "the radio is off or lost"
        case .refused: "refused by the radio"
        case .notOnAir: "stopped by the radio"
        }
    }
}

extension AirState {
    /// The state after a number of beacons: `2 off by schedule`.
    fileprivate var participle: String {
        switch self {
        case .paused: "paused"
        case .scheduledOff: "off by schedule"
        case .outOfRange: "out of range"
        default: clause
        }
    }
}

/// What is known of a beacon and its radio.
struct AirConditions: Hashable {
    /// Whether the beacon is switched on.
    var isEnabled: Bool
    /// Whether its schedule has it off.
    var isScheduledOff: Bool
    /// Whether its battery is flat.
    var hasFlatBattery: Bool
    /// Whether nothing that it sends is received.
    var isMuted: Bool
    /// Whether the device requests an advertisement.
    var isRequested: Bool
    /// Whether the radio is usable.
    var isRadioUp: Bool
    /// Whether it is beyond the range of the receiver of a bench.
    var isOutOfRange = false
    /// The latest report of the radio.
    var report: AirReport

    /// The state that follows: the first cause that applies.
    var state: AirState {
        if isScheduledOff { return .scheduledOff }
        if hasFlatBattery { return .flatBattery }
        if !isEnabled { return .disabled }
        if isMuted { return .muted }
        if !isRadioUp { return .radioOff }
        if !isRequested { return .paused }
        if isOutOfRange { return .outOfRange }
        switch report {
        case .none: return .starting
        case .advertising: return .onAir
        case .paused: return .paused
        case .stopped: return .notOnAir
        case .refused: return .refused
        }
    }
}

/// The latest report of a radio about a beacon.
enum AirReport: Hashable {
    /// None since the beacon was switched on.
    case none
    /// It advertises.
    case advertising
    /// It does not advertise while a central is connected.
    case paused
    /// The radio has stopped it.
    case stopped
    /// The radio refuses it.
    case refused
}

/// The states of the beacons of a run, counted.
package struct AirSummary: Hashable, Sendable {
    /// The maximum number of names in `missing`.
    private static let maximumNames = 10

    /// The numbers of beacons by state.
    private var counts: [AirState: Int] = [:]
    /// Whether the beacons are on the radio: neither before the start nor at the end of the run.
    package internal(set) var isRunning = false
    /// Whether the radio is usable.
    package internal(set) var isRadioUp = false
    /// Whether the run has been ready.
    package internal(set) var isReady = false
    /// Whether the profiles in use are the last good ones, because the profiles of the start cannot be read.
    package internal(set) var usesLastGood = false
    /// The first beacons that should be on the air and are not, in the order of the profiles.
    package internal(set) var missing: [MissingBeacon] = []

    /// A beacon that should be on the air and is not.
    package struct MissingBeacon: Codable, Hashable, Sendable {
        /// Its name in the run.
        package let device: String
        /// Why it is not.
        package let state: AirState

        package init(device: String, state: AirState) {
            self.device = device
            self.state = state
        }
    }

    /// The number of beacons in a state.
    package func count(_ state: AirState) -> Int { counts[state] ?? 0 }

    /// The number of beacons.
    package var beacons: Int { counts.values.reduce(0, +) }

    /// The number of beacons that should be on the air.
    package var expected: Int { counts.reduce(0) { $0 + ($1.key.isExpected ? $1.value : 0) } }

    /// The number of beacons that should be on the air and are not.
    package var missingCount: Int { expected - count(.onAir) }

    /// Whether everything that should be on the air is on the air now.
    package var isComplete: Bool { isReady && isSettled }

    /// Whether nothing that should be on the air is missing now; the run may not have been ready yet.
    var isSettled: Bool { isRunning && isRadioUp && missingCount == 0 }

    /// No beacons yet.
    package init() {}

    /// The summary of the beacons of a running run, in the order of its list.
    package init(of beacons: some Sequence<MissingBeacon>) {
        (isRunning, isRadioUp) = (true, true)
        for beacon in beacons {
            move(from: nil, to: beacon.state)
            if beacon.state.isMissing, missing.count < Self.maximumNames { missing.append(beacon) }
        }
    }

    /// `2 of 3 beacons on the air; not: till (flat battery)`, and that the last good profile is used.
    package var sentence: String {
        usesLastGood ? "\(presence); \(Self.lastGoodClause)" : presence
    }

    /// That the profiles in use are the last good ones.
    package static let lastGoodClause = "the profile cannot be used, and the one that ran last runs"

    private var presence: String {
        let all = beacons
        guard missingCount > 0 else {
            let off = AirState.allCases.filter { !$0.isExpected && count($0) > 0 }
            guard !off.isEmpty else { return "\(all) \(all == 1 ? "beacon" : "beacons") on the air" }
            return "\(count(.onAir)) of \(all) \(all == 1 ? "beacon" : "beacons") on the air, "
                + off.map { "\(count($0)) \($0.participle)" }.joined(separator: ", ")
        }
        var names = missing.prefix(Self.maximumNames).map { "\($0.device) (\($0.state.clause))" }
        if missingCount > names.count { names.append("\(missingCount - names.count) more") }
        return "\(count(.onAir)) of \(expected) \(expected == 1 ? "beacon" : "beacons") on the air; not: "
            + names.joined(separator: ", ")
    }

    /// Moves a beacon from one state to another; `nil` is no state.
    mutating func move(from former: AirState?, to next: AirState?) {
        if let former { counts[former, default: 0] -= 1 }
        if let next { counts[next, default: 0] += 1 }
    }

    /// The summary with the names of the missing beacons.
    func named(_ states: some Sequence<(BeaconIdentifier, AirState)>) -> AirSummary {
        var summary = self
        summary.missing = []
        guard missingCount > 0 else { return summary }
        for (beacon, state) in states where state.isMissing {
            summary.missing.append(MissingBeacon(device: beacon.name, state: state))
            if summary.missing.count == Self.maximumNames { break }
        }
        return summary
    }
}
