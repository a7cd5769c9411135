// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that advances only when a test advances it; sleeps end when their task is cancelled.
public final class ManualClock: Clock {
    /// A moment of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public var offset: Duration
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let number: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, Never>
    }

    private typealias Observers = [CheckedContinuation<Void, Never>]

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var lastNumber: UInt64 = 0
        var observers: [(deadline: Instant, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// A clock at time zero.
    public init() {}

    public var now: Instant { state.withLock(\.now) }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of sleeping tasks.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// The earliest end of a sleep; `nil` while no task sleeps.
    public var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOver, observers) = state.withLock { (state: inout State) -> (Bool, Observers) in
                    guard !Task.isCancelled, deadline > state.now else { return (true, Observers()) }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    defer { state.observers.removeAll { $0.deadline == deadline } }
                    return (false, state.observers.filter { $0.deadline == deadline }.map(\.continuation))
                }
                if isOver { continuation.resume() }
                for observer in observers { observer.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    /// Advances the time, and wakes the tasks whose time has come.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            defer { state.sleepers.removeAll { $0.deadline <= now } }
            return state.sleepers.filter { $0.deadline <= now }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until a task sleeps for this duration.
    public func waitForSleeper(of duration: Duration) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let deadline = state.now.advanced(by: duration)
                if state.sleepers.contains(where: { $0.deadline == deadline }) { return true }
                state.observers.append((deadline, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
