// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Emulator
import HCIRadio
import Profiles
import Space

/// The options of a virtual air, whatever is on it.
struct AirModelOptions: ParsableArguments {
    /// The names of the options, as a list in a sentence.
    static let names = "--seed, --air-timing, --physics, --path-loss, --rssi-noise, --replay and --replay-loop"

    private static let defaults = VirtualAirOptions()

    @Option(
        parsing: .unconditional,
        help: """
            Seed of the virtual air's random number generator, keys of its controllers included (default: a random one, \
            reported by the radio-ready event, and keys from the system).
            """,
        transform: OptionValue.seed)
    var seed: UInt64?

    @Option(
        help: """
            When data on the virtual air arrives: spec, at connection events as on a real air, or immediate (default: \
            spec).
            """,
        transform: timing)
    var airTiming: String?

    @Option(
        help: """
            Model of the virtual air: free, hall, office, home or obstructed, with shadowing, fading, lost packets and \
            collisions, or off (default: the model of the profile, else off).
            """,
        completion: .list(Propagation.environments.map(\.name) + ["off"]),
        transform: ValueText.physics)
    var physics: Propagation?

    @Option(
        parsing: .unconditional,
        help: """
            Path-loss exponent of the virtual air: 2 is free space, 3 to 4 indoors (default: the exponent of the \
            model, else \(defaults.propagation.exponent)).
            """,
        transform: exponent)
    var pathLoss: Double?

    @Option(
        parsing: .unconditional,
        help: """
            Standard deviation of the RSSI from packet to packet on the virtual air, in dB (default: the deviation \
            of the model, else \(defaults.propagation.packetDeviation)).
            """,
        transform: noise)
    var rssiNoise: Double?

    @Option(
        help: ArgumentHelp(
            """
            Recording of beaconry record, or btsnoop file, whose advertisements are sent again on the virtual air, with their \
            times and RSSI, from the first scan on (default: none).
            """,
            valueName: "recording"), completion: .file())
    var replay: String?

    @Flag(help: "Send the recording of --replay again and again, instead of once.")
    var replayLoop = false

    /// Whether one of the options was given.
    var isGiven: Bool {
        seed != nil || airTiming != nil || physics != nil || pathLoss != nil || rssiNoise != nil || replay != nil
            || replayLoop
    }

    /// The air with these options, and with the default servers.
    /// - Parameter profiles: the profiles of the run, which may describe the air.
    func options(for profiles: [Profile]) throws -> VirtualAirOptions {
        var options = Self.defaults
        if let seed = try seed ?? EnvironmentVariable.seed.parsed(OptionValue.seed) { options.seed = seed }
        if let name = try airTiming ?? EnvironmentVariable.airTiming.parsed(Self.timing),
            let timing = VirtualAirOptions.timings[name]
        {
            options.timing = timing
        }
        options.propagation = try modelling(profiles)
        if replayLoop, replay == nil { throw Failure.usage("--replay-loop needs a recording: --replay FILE") }
        options.replay = try replay.map { try ReplayTool.load($0) }
        options.replay?.loops = replayLoop
        return options
    }

    /// The model of the air for profiles, with these options.
    var modelling: AirModelling {
        get throws {
            let model = try physics ?? EnvironmentVariable.physics.parsed(ValueText.physics)
            let exponent = try pathLoss ?? EnvironmentVariable.pathLoss.parsed(Self.exponent)
            let noise = try rssiNoise ?? EnvironmentVariable.rssiNoise.parsed(Self.noise)
            return { profiles in
                var propagation = Propagation(for: profiles, chosen: model)
                if let exponent { propagation.setExponent(exponent) }
                if let noise { propagation.packetDeviation = noise }
                return propagation
            }
        }
    }

    private static func timing(_ text: String) throws(ValueFault) -> String {
        guard VirtualAirOptions.timings[text] != nil else {
            throw ValueFault("\"\(text)\" is not one of spec, immediate")
        }
        return text
    }

    private static let exponent = OptionValue.number(upTo: 10, "")
    private static let noise = OptionValue.number(upTo: 40, " of decibels")
}
