// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Concurrency
import Devices
import Emulator
import HCIRadio
import Persistence
import Profiles
import Radio

/// The options of `run` and `advertise`.
struct RunOptions: ParsableArguments {
    @OptionGroup var radio: RadioOption

    @OptionGroup var air: VirtualAirOption

    @Flag(help: "Wait for the radio until it is usable instead of failing.")
    var wait = false

    @Flag(help: "Fail (exit code 69) if an effective advertisement differs from the requested one.")
    var strict = false

    @Option(
        help: "Stop this long after all beacons are on the air, such as 10s (default: run until Ctrl-C).",
        transform: ValueText.duration)
    var duration: Duration?

    @Option(
        help: """
            Speed of the run on the virtual air: seconds of the run in a second of real time, max (as fast as possible), or \
            manual (by beaconry ctl clock); without hosts of other processes the run is in virtual time (default: 1).
            """,
        transform: OptionValue.rate)
    var rate: Simulation.Rate?

    @Option(help: "File that exists while everything that should be on the air is on the air (default: none).")
    var readyFile: String?

    @Option(
        help: """
            Btsnoop file of the HCI traffic, for btmon and Wireshark; it contains keys, so only its owner may read it \
            (default: none).
            """)
    var capture: String?

    @Option(help: "Control socket, or none (default: PROFILE.sock in $XDG_RUNTIME_DIR/beaconry).")
    var control: String?

    @Option(
        help: ArgumentHelp(
            "Unix group whose members may use the control socket, too (default: only the user of the run, and root).",
            valueName: "group"))
    var controlGroup: String?

    @OptionGroup var http: HTTPOptions

    @OptionGroup var output: OutputOptions

    /// The control sockets, by the option or its variable.
    var controlPlace: ControlPlace {
        (control ?? EnvironmentVariable.control.value).map(ControlPlace.init) ?? .profiles
    }

    /// Whether results are JSON.
    var writesJSON: Bool { output.format == .json }

    /// The number of the group that may use the control socket; `nil` for none.
    var controlGroupNumber: UInt32? {
        get throws {
            guard let name = controlGroup ?? EnvironmentVariable.controlGroup.value else { return nil }
            return try UnixGroup.number(of: name)
        }
    }

    private var waits: Bool { wait || EnvironmentVariable.wait.isSet }

    /// Opens the capture file; `nil` if none is requested.
    func makeCapture() throws -> CaptureFile? {
        guard let path = capture ?? EnvironmentVariable.capture.value else { return nil }
        return try CaptureFile(path)
    }

    /// The selected radio, and the time of the run.
    /// - Parameters:
    ///   - profiles: the profiles of the run.
    ///   - servesPrograms: whether adapters for programs are on the air, which then is the virtual one. Programs have the
    ///     clock of the machine, and need no servers.
    func driver(for profiles: [Profile], servesPrograms: Bool = false) throws -> (any RadioDriver, RunTiming) {
        let rate = try chosenRate
        let asksForHosts =
            try air.asksForHosts(for: profiles) && air.unservedReceivers(of: profiles, at: rate).isEmpty
        var driver = try air.configured(
            try radio.driver(waits: waits, standard: servesPrograms ? "virtual" : "auto"), for: profiles)
        if servesPrograms {
            guard var virtual = driver as? VirtualAirDriver else {
                throw Failure.usage("beaconry dbus needs the virtual air; leave --radio out, or write --radio virtual")
            }
            if !asksForHosts { virtual.options.servers = [] }
            driver = virtual
        }
        let timing = try RunTiming(rate, &driver, asksForHosts: asksForHosts || servesPrograms)
        return (driver, timing)
    }

    /// The radio of a bench, and the virtual air of its receiver.
    /// - Throws: `Failure` for options that have no effect there.
    func benchRadio(for profiles: [Profile]) throws -> (driver: any RadioDriver, air: VirtualAirOptions) {
        guard try chosenRate == nil else {
            throw Failure.usage("--rate and --bench exclude each other: the time of a phone is real")
        }
        return try air.configuredForBench(try radio.driver(waits: waits), for: profiles)
    }

    /// The rate of the option or of the environment; `nil` for real time.
    private var chosenRate: Simulation.Rate? {
        get throws { try rate ?? EnvironmentVariable.rate.parsed(OptionValue.rate) }
    }

    /// A warning about receivers of the profiles that have no servers; `nil` without any.
    func receiverWarning(for profiles: [Profile]) throws -> Warning? {
        let names = try air.unservedReceivers(of: profiles, at: chosenRate).map(\.id)
        guard !names.isEmpty else { return nil }
        return Warning(
            code: "receivers-not-served",
            message: "no host can join as \(names.joined(separator: ", ")): virtual time has no hosts of other "
                + "processes",
            hint: "none needed; to receive beside this run, use a number such as --rate 10 without --hci-server none, "
                + "or give the profile to a receiving command (--profile)")
    }

    /// The configuration of the emulator.
    /// - Parameters:
    ///   - state: the folder of saved settings; `nil` to save nothing.
    ///   - resets: whether to erase saved settings first.
    func configuration(
        profiles: [Profile], state: StateFolder?, resets: Bool,
        loadProfiles: @escaping @Sendable () throws(ProfileFaults) -> [Profile]
    ) throws -> Emulator.Configuration {
        var configuration = Emulator.Configuration(
            profiles: profiles, loadProfiles: loadProfiles, state: state, resets: resets,
            isStrict: strict || EnvironmentVariable.strict.isSet, waits: waits,
            duration: try duration ?? EnvironmentVariable.duration.parsed(ValueText.duration),
            readyFile: readyFile ?? EnvironmentVariable.readyFile.value)
        configuration.airModel = try air.model.modelling
        return configuration
    }
}

/// Where the control sockets of a run are.
enum ControlPlace: Hashable {
    /// It has none.
    case none
    /// At a path.
    case path(String)
    /// At the paths of its profiles, which they follow on a reload.
    case profiles

    /// `none`, or a path.
    init(_ text: String) { self = text == "none" ? .none : .path(text) }

    /// The paths of the sockets of a run.
    func paths(of profiles: [Profile]) -> [String] {
        switch self {
        case .none: []
        case .path(let path): [path]
        case .profiles: profiles.map { Folders.controlSocket(of: $0.name) }
        }
    }
}
