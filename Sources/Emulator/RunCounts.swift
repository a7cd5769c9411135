// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Radio
import Synchronization

/// What a run counts beside its events.
final class RunCounts: Sendable {
    private struct State {
        /// The answered requests: reads, then writes, by the code of the error, 0 for success.
        var requests = [UInt64](repeating: 0, count: 512)
        var flashWrites = DurationHistogram()
    }

    private let state = Mutex(State())

    /// Counts the answer to a request of a central.
    func noteAnswer(_ response: AttributeResponse, to operation: AttributeRequest.Operation) {
        let error = if case .failure(let error) = response { Int(error.rawValue) } else { 0 }
        let place = if case .read = operation { error } else { 256 + error }
        state.withLock { $0.requests[place] += 1 }
    }

    /// Counts a write of settings to their file.
    func noteFlashWrite(_ duration: Duration) {
        let microseconds = Int64(duration / .microseconds(1))
        state.withLock { $0.flashWrites.add(microseconds) }
    }

    /// The answered requests, reads before writes, each by the code of its error.
    var requests: [RunMetrics.Requests] {
        state.withLock(\.requests).enumerated().compactMap { place, count in
            guard count > 0 else { return nil }
            return RunMetrics.Requests(
                isRead: place < 256, error: place % 256 == 0 ? nil : ATTError(rawValue: UInt8(place % 256)),
                count: count)
        }
    }

    /// How long writes of settings to their files took.
    var flashWrites: DurationHistogram { state.withLock(\.flashWrites) }
}

/// What a run has done so far, in numbers.
package struct RunMetrics: Sendable {
    /// Answered requests of centrals with the same result.
    package struct Requests: Hashable, Sendable {
        /// Whether they were reads; otherwise writes.
        package let isRead: Bool
        /// The error of the response; `nil` for success.
        package let error: ATTError?
        /// Their number.
        package let count: UInt64
    }

    /// The beacons.
    package let beacons: [BeaconStatus]
    /// What should be on the air, and what is.
    package let air: AirSummary
    /// What happened on the air; `nil` where the controllers do not report it.
    package let radio: RadioCounts?
    /// The answered requests of centrals.
    package let requests: [Requests]
    /// How long writes of settings to their files took.
    package let flashWrites: DurationHistogram
}
