// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Computations that may take long, one after the other on a thread of their own.
///
/// The cooperative pool has a thread for each core, so that two such computations would delay everything else.
package enum LongWork {
    private static let queue = DispatchQueue(label: "long work")

    /// Performs work that may take more than some milliseconds; in a simulation, whose time would go on meanwhile, at once.
    /// - Throws: the error of the work.
    package static func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if Simulation.current != nil { return try work() }
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
