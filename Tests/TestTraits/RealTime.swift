// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
public import Testing

/// A suite whose tests run in real time, with the time limits of hosts and protocols: a few of them run at once, of all suites
/// together. If all began at once, each would take as long as all of them, and on a busy machine longer than the 30 s in which a
/// peer has to answer (Core 5.4, Vol 3, Part F, 3.3.3; Part H, 3.4).
public struct RealTime: TestTrait, SuiteTrait, TestScoping {
    /// For the tests in the suite, and in those within it.
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await places.take()
        defer { places.free() }
        try await function()
    }
}

extension Trait where Self == RealTime {
    /// The tests run in real time, a few at once.
    public static var realTime: RealTime { RealTime() }
}

private let places = Places(8)

/// Places for tests that run at once.
private final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Takes a place, when there is one.
    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Frees a place for the next test.
    func free() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        // On a thread that belongs to no simulation: a task that another one resumes stays in the virtual time of that thread.
        if let next { DispatchQueue.global().async { next.resume() } }
    }
}
