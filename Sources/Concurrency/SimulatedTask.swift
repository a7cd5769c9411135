// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

extension Simulation {
    /// Runs a body of the present task in the simulation: actors and tasks that it makes are in it, too. Afterwards the task
    /// goes on where it was before.
    ///
    /// Unlike the body of `run`, this one belongs to the same task, with its task-local values. It may be called again while a
    /// body runs, in the simulation and elsewhere. The simulation is from `makeSeparate`, or is the simulation of
    /// the process.
    /// - Throws: the error of the body.
    package func perform<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        if isCurrent { return try await Self.$isOfPerform.withValue(true) { try await body() } }
        let result: Result<Value, any Error>
        do {
            let gate = SimulationGate(self)
            result = .success(
                try await Self.$isOfPerform.withValue(true) {
                    try await withTaskExecutorPreference(SimulatedTasks(self)) { try await gate.run(body) }
                })
        } catch {
            result = .failure(error)
        }
        // What the thread of the simulation resumes is in the simulation.
        await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
        return try result.get()
    }
}

/// The way into a simulation: a body that stays on the executor of its caller begins there as well.
private actor SimulationGate {
    private nonisolated let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    nonisolated var unownedExecutor: UnownedSerialExecutor { simulation.asUnownedSerialExecutor() }

    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        // Not only a check: Swift 6.3.1 leaves out the hop to this actor where nothing but an asynchronous call follows, and
        // the body would begin on the thread of the caller.
        simulation.checkIsolated()
        return try await body()
    }
}

/// The executor of tasks that are in a simulation for a while.
private final class SimulatedTasks: TaskExecutor {
    private let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    func enqueue(_ job: consuming ExecutorJob) { simulation.enqueue(job) }
}
