// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Radio
import RunAPI

/// The state of a run as a service manager gets it.
///
///     not started --(the radio is ready, or waits for something)--> started --(all beacons are on the air)--> ready
///
/// The status text has what the radio waits for, else what is on the air, and whether the last good profile is used; then the versions
/// of program and profiles. Until the run
/// is ready, it follows the beacons after a pause.
struct ServiceStatus {
    /// What happens.
    enum Step: Sendable {
        case event(EmulatorEvent)
        case pauseEnded
    }

    /// What is to be done about it.
    enum Reaction: Hashable {
        case nothing
        /// Wait, then take `.pauseEnded`.
        case pause
        /// Send `message`.
        case report(isImportant: Bool)
        case stopping
    }

    private var isStarted = false
    private var isReady = false
    private var isPausing = false
    /// Whether the radio was ready at least once.
    private var hadRadio = false
    /// Why the radio is not usable; `nil` if it is.
    private var trouble: RadioError?
    private var text = ""

    /// Whether an event may change the state.
    static func concerns(_ event: EmulatorEvent) -> Bool {
        switch event {
        case .radioReady, .radioLost, .ready, .degraded, .recovered, .reloaded, .stopping: true
        case .beacon(_, let event): changesAir(event)
        default: false
        }
    }

    /// Takes the next step.
    mutating func take(_ step: Step) -> Reaction {
        switch step {
        case .event(.radioReady):
            hadRadio = true
            trouble = nil
        case .event(.radioLost(let error)): trouble = error
        case .event(.ready):
            isReady = true
            return .report(isImportant: true)
        case .event(.stopping): return .stopping
        case .event(.beacon) where !isReady:
            guard !isPausing else { return .nothing }
            isPausing = true
            return .pause
        case .event: break
        case .pauseEnded: isPausing = false
        }
        return .report(isImportant: !isStarted)
    }

    /// The message with the present state; `nil` if it has not changed.
    /// - Parameter versions: what runs.
    mutating func message(_ air: AirSummary, _ versions: RunVersions) -> String? {
        var next: String
        if let trouble {
            let waiting = hadRadio ? "the radio is lost" : "waiting for the radio"
            next = "\(waiting): \(trouble.message)" + (air.usesLastGood ? "; \(AirSummary.lastGoodClause)" : "")
        } else {
            next = air.sentence
        }
        next += "; \(VersionText.line(versions))"
        defer { (isStarted, text) = (true, next) }
        guard isStarted else { return "READY=1\nSTATUS=\(next)" }
        return next == text ? nil : "STATUS=\(next)"
    }

    private static func changesAir(_ event: BeaconEvent) -> Bool {
        switch event {
        case .advertising, .advertisingStopped, .advertisingRefused, .muted, .unmuted, .battery: true
        default: false
        }
    }
}
