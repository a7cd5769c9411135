// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// Runs an actor on a serial queue, so that its blocking calls, such as fsync, do not block the cooperative threads.
package final class QueueExecutor: SerialExecutor {
    /// The queue, for event sources whose handlers call the actor with `assumeIsolated`.
    package let queue: DispatchQueue

    /// An executor with a queue of its own.
    /// - Parameter label: the name of the queue, for debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    // Called by `assumeIsolated` outside of tasks.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
