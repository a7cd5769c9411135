// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Synchronization
import Testing

/// Expects a call to fail for a reason.
func expect(
    _ reason: CentralError.Reason, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("the call succeeded", sourceLocation: sourceLocation)
    } catch let error as CentralError {
        #expect(error.reason == reason, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}

/// A condition was not met in time.
struct Overdue: Error {}

/// Waits until a condition is met, for five minutes at most: many tests share two processors.
func until(_ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw Overdue() }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Counts from any task.
final class Counter: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock(\.self) }
    func add() { state.withLock { $0 += 1 } }
}
