// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Dispatch
import Synchronization

/// Why code that waits for an air does not continue.
enum AirStall: Error {
    /// Nothing will happen any more in the time of the air.
    case nothingLeft(waiting: [String])
    /// Code in `VirtualAir.run` has taken longer than its limit, in the time of the air.
    case limit(Duration, waiting: [String])
    /// The time stands still, because the code is outside of `VirtualAir.run`.
    case outside(waiting: [String])
    /// The time stands still, and code outside of `VirtualAir.run` reads this again and again.
    case repeated(String)

    /// What is wrong, and what to do instead.
    var message: String {
        switch self {
        case .nothingLeft(let waiting):
            "nothing will happen any more on this air, and the code in run still waits for \(Self.text(waiting)); "
                + "if it waits in real time (Task.sleep, a socket, another process), write run(waitsInRealTime: true)"
        case .limit(let limit, let waiting):
            "the code in run has not returned within \(limit) of the air, and still waits for \(Self.text(waiting)); "
                + "give run(within:) more time if it needs it"
        case .outside(let waiting):
            "the time of this air stands still, and code outside of run waits for \(Self.text(waiting)); call it in air.run { }"
        case .repeated(let subject):
            "the time of this air stands still, and code outside of run reads \(subject) again and again; "
                + "let time pass with air.clock.advance(by:)"
        }
    }

    private static func text(_ waiting: [String]) -> String {
        waiting.isEmpty ? "something that is no call of a receiver" : waiting.joined(separator: "; ")
    }
}

/// A call of `VirtualAir.run` that has not returned. It ends once, with its body or before it.
final class AirCall<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var caller: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())
    /// Whether the caller is in the simulation.
    private let isInside: Bool

    init(isInside: Bool) { self.isInside = isInside }

    /// Waits for the end.
    /// - Throws: the error of the body, or `AirStall`.
    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { caller in
                let result = state.withLock { state in
                    if state.result == nil { state.caller = caller }
                    return state.result
                }
                if let result { caller.resume(with: result) }
            }
        }
    }

    /// Ends it, unless it has ended.
    func end(_ result: Result<Value, any Error>) {
        let caller = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.caller = nil }
            return state.caller
        }
        guard let caller else { return }
        // What the thread of the simulation resumes is in the simulation.
        if isInside {
            caller.resume(with: result)
        } else {
            DispatchQueue.global().async { caller.resume(with: result) }
        }
    }
}

/// The bodies of `VirtualAir.run` that have not returned. The clock runs while there are some.
final class AirBodies: Sendable {
    private struct Body {
        let waitsInRealTime: Bool
        /// Ends the call before the body returns.
        let end: @Sendable (AirStall) -> Void
    }

    private struct State {
        /// By number.
        var bodies: [UInt64: Body] = [:]
        var last: UInt64 = 0
    }

    private let simulation: Simulation
    private let state = Mutex(State())

    init(in simulation: Simulation) { self.simulation = simulation }

    var isEmpty: Bool { state.withLock(\.bodies.isEmpty) }

    /// A body begins.
    /// - Parameters:
    ///   - waitsInRealTime: whether it may wait while nothing is left to do in the simulation.
    ///   - end: ends its call, if that has not ended.
    /// - Returns: its number.
    func begin(waitsInRealTime: Bool, _ end: @escaping @Sendable (AirStall) -> Void) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.bodies[state.last] = Body(waitsInRealTime: waitsInRealTime, end: end)
            simulation.setRate(.maximum)
            return state.last
        }
    }

    /// A body has returned, or is not waited for any more.
    func finish(_ number: UInt64) {
        state.withLock { state in
            guard state.bodies.removeValue(forKey: number) != nil else { return }
            if state.bodies.isEmpty { simulation.setRate(.manual) }
        }
    }

    /// Ends the call of a body before it returns.
    func end(_ number: UInt64, _ stall: AirStall) {
        let body = state.withLock { $0.bodies[number] }
        finish(number)
        body?.end(stall)
    }

    /// Ends the calls of all bodies that do not wait in real time.
    func endIdle(_ stall: AirStall) {
        let idle = state.withLock { $0.bodies.filter { !$0.value.waitsInRealTime }.keys.sorted() }
        for number in idle { end(number, stall) }
    }
}
