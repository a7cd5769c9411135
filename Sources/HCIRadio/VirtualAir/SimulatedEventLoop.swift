// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Dispatch
import NIOCore

/// An event loop in the time of a simulation, on its thread. It has no sockets.
final class SimulatedEventLoop: NIOSerialEventLoopExecutor {
    private let simulation: Simulation

    /// The loop of a simulation, which lasts as long as the process.
    init(_ simulation: Simulation) { self.simulation = simulation }

    var inEventLoop: Bool { simulation.isCurrent }

    var now: NIODeadline {
        // Not the quotient of two durations, which is rounded: a timer would be before its time.
        let (seconds, attoseconds) = simulation.now.offset.components
        return .uptimeNanoseconds(UInt64(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }

    /// Lets the time pass to a deadline, if nothing else happens until then (see `Simulation.pass`).
    func pass(to deadline: NIODeadline) -> Bool { simulation.pass(to: .nanoseconds(Int64(deadline.uptimeNanoseconds))) }

    func execute(_ task: @escaping @Sendable () -> Void) { simulation.execute(task) }

    @discardableResult
    func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        let promise: EventLoopPromise<T> = makePromise()
        let timer = simulation.schedule(at: .nanoseconds(Int64(deadline.uptimeNanoseconds))) {
            do {
                promise.assumeIsolated().succeed(try task())
            } catch {
                promise.fail(error)
            }
        }
        return Scheduled(promise: promise, cancellationTask: { [simulation] in simulation.cancel(timer) })
    }

    @discardableResult
    func scheduleTask<T>(in time: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        scheduleTask(deadline: now + time, task)
    }

    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        queue.async { callback(EventLoopError.unsupportedOperation) }
    }
}
