// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Concurrency
import HCIRadio
import Profiles
import Receiving
import Space

/// The options of receiving commands for beacons in the same process: their profiles, their air and its time.
struct OwnAirOptions: ParsableArguments {
    @Option(
        help: """
            Profile whose beacons run meanwhile on a virtual air in this process, where the command receives them; may be \
            repeated (default: none).
            """,
        completion: .file())
    var profile: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Receiver of these profiles as which the command receives: its position or path, its hardware and its phone \
            (default: the only receiver, else 1 m from every beacon).
            """, valueName: "id"))
    var receiver: String?

    @Option(
        help: """
            Speed of the run of --profile: its seconds in a second of real time, or max (as fast as possible); it is in \
            virtual time then (default: 1).
            """,
        transform: OptionValue.rate)
    var rate: Simulation.Rate?

    @OptionGroup var model: AirModelOptions

    /// Whether the beacons are in this process.
    var isGiven: Bool { !profile.isEmpty || model.replay != nil }

    /// The beacons and their air; `nil` if they are elsewhere. In virtual time, all tasks of the process are in that time from
    /// now on.
    /// - Parameters:
    ///   - radio: the radio that was requested.
    ///   - position: where the command receives; `nil` for the place of a receiver of the profiles.
    ///   - phone: the phone that it receives like; `nil` for that of the receiver, if there is one.
    ///   - maximumTransmissionUnit: the ATT_MTU of the receiver.
    /// - Returns: The run, and the receiver that scans in its own way; `nil` for none.
    func run(
        radio: RadioOption, at position: Position?, as phone: PhoneModel?, maximumTransmissionUnit: UInt16
    ) throws -> (air: AirRun, receiver: (name: String, settings: ListenerSettings)?)? {
        guard isGiven else {
            try checkUnused()
            return nil
        }
        guard radio.mayBeVirtual else {
            throw Failure.usage(
                "--profile and --replay run on a virtual air in this process, not on another radio; leave out --radio")
        }
        if position != nil, receiver != nil {
            throw Failure.usage("--position and --receiver exclude each other; leave one out")
        }
        let rate = try rate ?? EnvironmentVariable.rate.parsed(OptionValue.rate) ?? .scaled(1)
        guard rate != .manual else {
            throw Failure.usage(
                "--rate manual needs beaconry ctl clock, which beaconry run has; write max or a number such as 10")
        }
        let profiles =
            profile.isEmpty ? [Profile(name: "replay", beacons: [])] : try ProfileFiles.load(profile)
        var options = try model.options(for: profiles)
        options.servers = []
        let receiver = try receiver(in: profiles, position)
        options.central = Self.central(receiver, at: position)
        var settings = receiver?.listener
        if let phone { settings = (settings ?? ListenerSettings()).with(phone) }
        options.central.hardware = (receiver?.traits ?? ReceiverTraits()).hardware(
            of: settings?.phone, in: options.propagation)
        options.central.maximumTransmissionUnit = maximumTransmissionUnit
        let timing = rate == .scaled(1) ? RunTiming.real : .simulated(rate)
        let name = options.central.name
        return (AirRun(profiles, on: options, clock: timing.makeClock()), settings.map { (name, $0) })
    }

    private func checkUnused() throws(Failure) {
        if rate != nil {
            throw .usage("--rate needs --profile: the time of beacons elsewhere is theirs")
        }
        if receiver != nil || model.isGiven {
            throw .usage("--receiver, \(AirModelOptions.names) need --profile")
        }
    }

    private static func central(_ receiver: ReceiverDefinition?, at position: Position?) -> VirtualAirOptions.Central {
        var central = VirtualAirOptions.Central()
        central.motion = position.map(Motion.rest)
        guard let receiver else { return central }
        central.name = receiver.id
        central.motion = receiver.movement?.motion
        return central
    }

    /// The receiver as which the command receives; `nil` for none of the profiles.
    private func receiver(in profiles: [Profile], _ position: Position?) throws(Failure) -> ReceiverDefinition? {
        let receivers = profiles.flatMap(\.receivers)
        guard let receiver else { return position == nil && receivers.count == 1 ? receivers.first : nil }
        guard let found = receivers.first(where: { $0.id == receiver }) else {
            let ids = receivers.map(\.id).joined(separator: ", ")
            throw .usage(
                "--receiver: these profiles have no receiver \"\(receiver)\"; "
                    + (ids.isEmpty ? "add one, or use --position" : "receivers are \(ids)"))
        }
        return found
    }
}
