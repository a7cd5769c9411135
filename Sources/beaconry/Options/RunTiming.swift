// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryTools
import Concurrency
import HCIRadio
import Radio

/// The time of a run.
enum RunTiming {
    /// Real time.
    case real
    /// Real time by a factor, for hosts of other processes.
    case scaled(Double)
    /// Virtual time, without hosts of other processes.
    case simulated(Simulation.Rate)

    /// The time for a rate.
    /// - Parameters:
    ///   - driver: the radio; on a virtual air in virtual time, it loses its default server.
    ///   - asksForHosts: whether servers were requested.
    /// - Throws: `Failure` for another radio, and for hosts with a rate that these cannot follow.
    init(_ rate: Simulation.Rate?, _ driver: inout any RadioDriver, asksForHosts: Bool) throws {
        guard let rate, rate != .scaled(1) else {
            self = .real
            return
        }
        guard var air = driver as? VirtualAirDriver else {
            throw Failure.usage("--rate needs --radio virtual: the time of a real radio is real")
        }
        if asksForHosts {
            guard case .scaled(let factor) = rate else {
                throw Failure.usage(
                    "--rate \(rate) is not possible with hosts of other processes (--hci-server, receivers of a profile, "
                        + "programs of beaconry dbus), whose clocks are real; use a number such as --rate 10, or run without hosts: --hci-server none"
                )
            }
            air.options.rate = factor
            self = .scaled(factor)
        } else {
            air.options.servers = []
            self = .simulated(rate)
        }
        driver = air
    }

    /// Starts the clock; in virtual time, all tasks of the process are in that time from now on.
    func makeClock() -> any Clock<Duration> {
        switch self {
        case .real: ContinuousClock()
        case .scaled(let factor): ScaledClock(rate: factor)
        case .simulated(let rate): Simulation.install(rate: rate)
        }
    }

    /// Whether it is virtual.
    var isSimulated: Bool {
        if case .simulated = self { true } else { false }
    }
}
