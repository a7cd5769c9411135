// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs an actor on a serial queue of its own, so that calls that block never block the cooperative threads.
final class DispatchQueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    // Called for code that comes from an event source of the queue, outside of any task.
    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
