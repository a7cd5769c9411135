// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Computations that may take long, one after the other on a thread of their own.
///
/// The cooperative pool has a thread for each core, so that two such computations would delay everything else. Work that can take
/// seconds calls `pause` in its loops, so that other work of the same thread goes on meanwhile, and ends early once it is
/// cancelled: when the client has left for which it is done (`Requester`), or the run ends.
package final class LongWork: Sendable {
    /// The work of reading events of the journal, and of comparing them.
    package static let journal = LongWork("journal")
    /// The work of reading and writing profiles and scenarios.
    package static let profiles = LongWork("profiles")

    private let executor: Thread

    private init(_ name: String) { executor = Thread(name) }

    /// Performs work that may take more than some milliseconds; in a simulation, whose time would go on meanwhile, at once.
    /// - Throws: the error of the work.
    package func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable @concurrent () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if Simulation.current != nil { return try await work() }
        let requester = Requester.current
        let task = Task(executorPreference: executor) { () async -> Result<Value, Failure> in
            if requester?.hasLeft == true { withUnsafeCurrentTask { $0?.cancel() } }
            do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
        }
        return try await Requester.value(of: task).get()
    }

    /// Lets other work go on.
    /// - Returns: Whether the work is to go on; it is not once it is cancelled.
    @concurrent package static func pause() async -> Bool {
        if Simulation.current == nil { await Task.yield() }
        return !Task.isCancelled
    }

    /// The pauses of a loop of many short steps: one after each 5 ms of work.
    package struct Pauses: Sendable {
        private static let work = Duration.milliseconds(5)
        private var last = ContinuousClock.now

        package init() {}

        /// Ends a step. In a simulation nothing pauses: the order of its tasks must not depend on the speed of the machine.
        package mutating func step() async {
            guard ContinuousClock.now - last > Self.work, Simulation.current == nil else { return }
            _ = await LongWork.pause()
            last = .now
        }
    }

    private final class Thread: TaskExecutor {
        private let queue: DispatchQueue

        init(_ name: String) { queue = DispatchQueue(label: name) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
