// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The time of a radio since its creation: the time of its event loop, or faster by a factor.
///
/// It is used on the event loop.
final class LoopClock {
    let loop: any EventLoop
    /// Seconds of the radio in a second of the loop.
    let rate: Double
    private let now: () -> NIODeadline
    /// The time of the loop at its creation.
    let beginning: NIODeadline
    /// The loop, in virtual time.
    private let simulated: SimulatedEventLoop?

    /// A clock that begins now.
    /// - Parameter now: the time of the loop.
    init(_ loop: any EventLoop, rate: Double = 1, now: @escaping () -> NIODeadline) {
        self.loop = loop
        self.rate = rate
        self.now = now
        beginning = now()
        simulated = loop as? SimulatedEventLoop
    }

    /// A clock with the time of the loop itself.
    convenience init(_ loop: any EventLoop, rate: Double = 1) { self.init(loop, rate: rate) { loop.now } }

    /// The time since the beginning in nanoseconds.
    var nanoseconds: Int64 {
        let elapsed = (now() - beginning).nanoseconds
        return rate == 1 ? elapsed : Int64(Double(elapsed) * rate)
    }

    /// Lets the time pass to a time since the beginning, in nanoseconds, if nothing else happens until then (see `Simulation.pass`).
    /// - Returns: whether it is that time now; always `false` in real time.
    func pass(to nanoseconds: Int64) -> Bool {
        guard let simulated, rate == 1 else { return false }
        return simulated.pass(to: beginning + .nanoseconds(nanoseconds))
    }

    /// Runs a function at a time since the beginning, in nanoseconds.
    func schedule(at nanoseconds: Int64, _ function: @escaping @Sendable () -> Void) -> Scheduled<Void> {
        let delay = rate == 1 ? nanoseconds : Int64((Double(nanoseconds) / rate).rounded(.up))
        return loop.scheduleTask(deadline: beginning + .nanoseconds(delay), function)
    }
}
