// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a run announces of its beacons.
///
/// A run is ready, once, when everything that should be on the air is on the air, and no device is silent by itself. From
/// then on it is complete or incomplete; its ready file exists while it is complete. It is degraded while something that was
/// started is not on the air, and while its profiles are the last good ones, since theirs cannot be read; both are announced at
/// the beginning and at the end. A beacon that has just been switched on makes the run incomplete only.
struct RunReadiness {
    /// An announcement.
    enum Step: Hashable {
        /// The run is ready, for the first time.
        case ready
        /// The run is complete again.
        case complete
        /// The run is incomplete.
        case incomplete
        /// Something that should be on the air is not, or the profiles are the last good ones.
        case degraded
        /// Everything that should be on the air is on the air again, by profiles that can be read.
        case recovered
    }

    /// The states of the beacons, counted, without names.
    private(set) var summary = AirSummary()
    /// Whether the run has been ready.
    var isReady: Bool { summary.isReady }
    private var isComplete = false
    private var isDegraded = false

    /// Moves a beacon from one state to another; `nil` is no state.
    mutating func move(from former: AirState?, to next: AirState?) { summary.move(from: former, to: next) }

    /// Takes whether the beacons are on the radio.
    mutating func setRunning(_ isRunning: Bool) { summary.isRunning = isRunning }

    /// Takes whether the radio is usable.
    mutating func setRadioUp(_ isUp: Bool) { summary.isRadioUp = isUp }

    /// Takes whether the profiles in use are the last good ones.
    mutating func setLastGood(_ isLastGood: Bool) { summary.usesLastGood = isLastGood }

    /// The announcements that follow from the changes since the last ones.
    mutating func next() -> [Step] {
        var steps: [Step] = []
        if !isReady, summary.isSettled, summary.count(.paused) == 0 {
            summary.isReady = true
            isComplete = true
            steps.append(.ready)
        } else if summary.isComplete != isComplete {
            isComplete = summary.isComplete
            steps.append(isComplete ? .complete : .incomplete)
        }
        guard isReady, summary.isRunning else { return steps }
        let isDegraded =
            summary.usesLastGood || !summary.isRadioUp || summary.missingCount > summary.count(.starting)
        // Whatever is starting again is not recovered yet.
        guard isDegraded != self.isDegraded, isDegraded || isComplete else { return steps }
        self.isDegraded = isDegraded
        steps.append(isDegraded ? .degraded : .recovered)
        return steps
    }
}
