// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio
import Synchronization

/// Reads of an air while its time stands still. What is read again and again then does not change: a loop would never end.
final class RepeatedReads: Sendable {
    /// What a read is one of.
    enum Kind {
        case single
        /// A loop that would not end, which is to be reported.
        case ofLoop
        /// A loop after the first one was reported.
        case ofReportedLoop
    }

    private struct State {
        var read: String?
        /// The time of the air.
        var time = Duration.zero
        var count = 0
        var first = Duration.zero
        /// Whether a loop was reported.
        var isReported = false
    }

    /// The number of reads, and their real time, from which they are a loop: on a machine that is busy, a few reads take as long.
    private static let limit = (count: 10, time: Duration.seconds(1))

    private let state = Mutex(State())
    private let realTime: Timekeeper

    /// No reads.
    init(in realTime: Timekeeper) { self.realTime = realTime }

    /// A read.
    /// - Parameters:
    ///   - read: what is read, and where in the source.
    ///   - time: of the air.
    /// - Returns: what it is.
    func note(_ read: String, at time: Duration) -> Kind {
        let now = realTime.now()
        return state.withLock { state in
            if state.read != read || state.time != time {
                (state.read, state.time, state.count, state.first) = (read, time, 0, now)
            }
            state.count += 1
            guard state.count >= Self.limit.count, now - state.first >= Self.limit.time else { return .single }
            defer { state.isReported = true }
            return state.isReported ? .ofReportedLoop : .ofLoop
        }
    }

    /// Forgets the reads, since what they read may have changed.
    func forget() { state.withLock { $0.read = nil } }
}
