// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio
import Synchronization

/// Work that ends at a deadline or when the waiting task is cancelled, even if the work itself continues.
///
/// The first of the three decides. Late work is cancelled and its result ignored, so that a call returns in time even if an
/// operation inside does not. (A task group waits for its children: it cannot do this.)
final class Race<Value: Sendable>: Sendable {
    /// The result of a race.
    enum Outcome: Sendable {
        case finished(Value)
        case timedOut
        case cancelled
    }

    private struct State {
        var outcome: Outcome?
        var waiting: CheckedContinuation<Outcome, Never>?
    }

    private let state = Mutex(State())

    /// Runs the work.
    /// - Parameters:
    ///   - timeout: the deadline from now; `nil` for none.
    ///   - isCancellable: whether the wait ends when the waiting task is cancelled.
    ///   - work: the work; it may decide the race before it returns, and learns so whether it was in time.
    static func run(
        within timeout: Duration?, by timekeeper: Timekeeper, isCancellable: Bool = true,
        _ work: @escaping @Sendable (Race) async -> Value
    ) async -> Outcome {
        if isCancellable, Task.isCancelled { return .cancelled }
        let race = Race()
        // Immediately, so that operations begin in the order of the calls.
        let working = Task.immediate {
            race.decide(.finished(await work(race)))
        }
        let timer = timeout.map { timeout in
            Task { if await timekeeper.sleep(for: timeout) { race.decide(.timedOut) } }
        }
        defer { timer?.cancel() }
        let outcome = isCancellable ? await race.cancellableOutcome : await race.outcome
        if case .finished = outcome { return outcome }
        working.cancel()
        return outcome
    }

    private var cancellableOutcome: Outcome {
        get async {
            await withTaskCancellationHandler {
                await outcome
            } onCancel: {
                decide(.cancelled)
            }
        }
    }

    private var outcome: Outcome {
        get async {
            await withCheckedContinuation { continuation in
                let decided = state.withLock { state in
                    if state.outcome == nil { state.waiting = continuation }
                    return state.outcome
                }
                if let decided { continuation.resume(returning: decided) }
            }
        }
    }

    /// Whether the race is decided.
    var isDecided: Bool { state.withLock { $0.outcome != nil } }

    /// Decides the race.
    /// - Returns: whether it was undecided until now.
    @discardableResult
    func decide(_ outcome: Outcome) -> Bool {
        let (isFirst, waiting) = state.withLock { state in
            guard state.outcome == nil else { return (false, CheckedContinuation<Outcome, Never>?.none) }
            state.outcome = outcome
            defer { state.waiting = nil }
            return (true, state.waiting)
        }
        waiting?.resume(returning: outcome)
        return isFirst
    }
}
