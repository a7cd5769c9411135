// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs an actor on a queue of its own, so that its blocking calls (waiting for a disk) hold up nobody else.
final class QueueExecutor: SerialExecutor {
    /// For all that block nobody: a queue takes its room.
    static let shared = QueueExecutor(label: "beacons")

    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
