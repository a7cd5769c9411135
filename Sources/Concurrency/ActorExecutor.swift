// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The executor of an actor, or of several actors that call each other without a change of threads. In virtual time it
/// is the simulation.
///
/// An actor retains this value, and returns `unowned` as its `unownedExecutor`.
package struct ActorExecutor: Sendable {
    package let unowned: UnownedSerialExecutor
    /// What `unowned` refers to.
    private let owner: any AnyObject & Sendable

    private init(_ executor: any SerialExecutor) {
        owner = executor
        unowned = executor.asUnownedSerialExecutor()
    }

    private init(of owner: Owner) {
        self.owner = owner
        unowned = owner.unownedExecutor
    }

    /// An executor on the cooperative threads: a call from a task needs no change of threads either. Its actors must not
    /// block, as with fsync.
    package static func cooperative() -> ActorExecutor {
        Simulation.current.map { ActorExecutor($0) } ?? ActorExecutor(of: Owner())
    }

    /// An executor on a serial queue of its own, for actors that block.
    /// - Parameter label: The name of the queue, for debuggers.
    package static func queue(_ label: String) -> ActorExecutor {
        ActorExecutor(Simulation.current ?? QueueExecutor(label: label))
    }

    /// An actor whose executor other actors have.
    private actor Owner {}
}
