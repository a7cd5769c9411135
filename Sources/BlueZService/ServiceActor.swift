// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Concurrency

/// The actor of all objects that the service exports: adapters, devices, attributes.
///
/// It shares its executor with the connection to the bus, so that changes, signals and replies leave in one turn and in the
/// order of the code. One process has one.
@globalActor
package actor ServiceActor {
    package static let shared = ServiceActor()

    /// The executor, for the connection to the bus.
    package static let executor = QueueExecutor(label: "BlueZService")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

    private init() {}

    /// Runs a closure on the actor, of which the caller must be sure that it is on the executor: a handler that the
    /// connection calls. Stops the process otherwise.
    package nonisolated static func assumeIsolated<Result: Sendable>(
        _ body: @ServiceActor () throws -> Result
    ) rethrows -> Result {
        shared.preconditionIsolated()
        // As MainActor.assumeIsolated does it: the isolation was just checked, and has no representation.
        return try withoutActuallyEscaping(body) { (body: @escaping @ServiceActor () throws -> Result) in
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }
}
