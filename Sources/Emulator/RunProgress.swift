// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How far a run has come, and the requests that wait for it.
///
/// It belongs to its emulator, in whose isolation it is used.
final class RunProgress {
    /// The phases of a run, in their order.
    enum Phase: Int, Comparable {
        /// The beacons are made.
        case making
        /// The radio is opened with the beacons.
        case opening
        /// The beacons are on the radio.
        case up
        /// The radio is closed, or was never opened.
        case over

        static func < (one: Phase, other: Phase) -> Bool { one.rawValue < other.rawValue }
    }

    private(set) var phase = Phase.making
    /// Why the run ends; `nil` without an error.
    let endings = AsyncStream.makeStream(of: EmulatorError?.self)
    /// The latest reload, or another change in order; the next one waits for it.
    var lastChange: Task<Void, Never>?
    private var waitingForPhase: [(Phase, CheckedContinuation<Void, Never>)] = []
    private var waitingForRadio: [CheckedContinuation<Void, Never>] = []

    /// Begins a phase, unless it or a later one has begun.
    func begin(_ next: Phase) {
        guard next > phase else { return }
        phase = next
        let reached = waitingForPhase.filter { $0.0 <= next }
        waitingForPhase.removeAll { $0.0 <= next }
        for (_, waiting) in reached { waiting.resume() }
        noteRadio()
    }

    /// Returns when a phase, or a later one, has begun.
    func until(_ awaited: Phase) async {
        guard phase < awaited else { return }
        await withCheckedContinuation { waitingForPhase.append((awaited, $0)) }
    }

    /// Returns at the next change of the radio, or of the phase.
    func untilRadioChanges() async { await withCheckedContinuation { waitingForRadio.append($0) } }

    /// Notes that the radio is usable, or is not any more.
    func noteRadio() {
        let waiting = waitingForRadio
        waitingForRadio = []
        for each in waiting { each.resume() }
    }
}
