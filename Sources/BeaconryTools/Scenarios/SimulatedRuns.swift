// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Glibc

/// Work that is done in simulations, as much at once as there are processors: each has virtual time of its own, so that none affects
/// another.
enum SimulatedRuns {
    /// Does jobs, and passes on the results in the order of the jobs.
    static func perform<Job: Sendable, Result: Sendable>(
        _ jobs: [Job], _ work: @escaping @Sendable (Job) async throws -> Result, _ take: (Result) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var waiting = jobs.enumerated().makeIterator()
            var done: [Int: Result] = [:]
            var passed = 0
            func startNext() {
                guard let (index, job) = waiting.next() else { return }
                group.addTask { (index, try await work(job)) }
            }
            for _ in 0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) { startNext() }
            while let (index, result) = try await group.next() {
                startNext()
                done[index] = result
                while let next = done.removeValue(forKey: passed) {
                    try take(next)
                    passed += 1
                }
            }
        }
    }
}
