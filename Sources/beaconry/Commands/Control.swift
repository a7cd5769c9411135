// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulator
import Glibc
import Persistence

/// `beaconry ctl`
struct Control: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ctl", abstract: "Look at and change a running `beaconry run`.",
        discussion: """
            Example: beaconry ctl set entrance major=7 interval=200ms
            """,
        subcommands: [
            ControlList.self, ControlShow.self, ControlSet.self, ControlEnable.self, ControlDisable.self,
            ControlAct.self, ControlReload.self, ControlStop.self, ControlEvents.self, ControlBonds.self,
            ControlForget.self, ControlPair.self,
        ])
}

/// What all `ctl` commands have.
struct ControlOptions: ParsableArguments {
    @Option(help: "The control socket.")
    var control: String?

    @Option(help: "The profile whose run is meant, when several run.")
    var profile: String?

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    /// Sends a request and tells the answer.
    /// - Parameter words: beacons in words.
    func send(
        _ request: ControlRequest, words: @escaping ([BeaconRecord]) -> [String] = { $0.map(BeaconText.headline) }
    ) async throws {
        try await ControlClient(path: try path()).send(request) { line in
            let answer = try ControlClient.answer(line)
            if let error = answer.error {
                var failure = Failure(exitCode: answer.exitCode ?? 70, message: error)
                failure.diagnostics = answer.diagnostics ?? []
                failure.records = answer.errors ?? []
                throw failure
            }
            if let beacons = answer.beacons {
                for line in json ? beacons.map({ JSONLine.encode($0) }) : words(beacons) { Output.line(line) }
            }
            for bond in answer.bonds ?? [] { Output.line(json ? JSONLine.encode(bond) : BondText.line(bond)) }
            if let forgotten = answer.forgotten {
                Output.line(
                    json
                        ? JSONLine.encode(["v": 1, "forgotten": forgotten])
                        : "\(forgotten) \(forgotten == 1 ? "bond" : "bonds") forgotten")
            }
            if let reload = answer.reload { Output.line(json ? JSONLine.encode(reload) : Self.words(reload)) }
        }
    }

    /// Prints events until the run ends.
    func sendEvents() async throws {
        Output.watchReader()
        try await ControlClient(path: try path()).send(.events(json ? .json : .text)) { Output.line($0) }
    }

    private func path() throws -> String {
        if let path = control ?? Environment.value("BEACONRY_CONTROL") { return path }
        let sockets = Folder.names(in: Folders.runtime).filter { $0.hasSuffix(".sock") }
        if let profile {
            // `advertise` numbers its sockets by process.
            let numbered = sockets.filter {
                $0.hasPrefix("\(profile)-") && Int($0.dropFirst(profile.count + 1).dropLast(5)) != nil
            }
            guard !sockets.contains("\(profile).sock"), numbered.count == 1 else {
                return Folders.controlSocket(of: profile)
            }
            return "\(Folders.runtime)/\(numbered[0])"
        }
        // The profiles of one run share a socket.
        var runs: [ino_t: [String]] = [:]
        for socket in sockets {
            var status = stat()
            guard stat("\(Folders.runtime)/\(socket)", &status) == 0 else { continue }
            runs[status.st_ino, default: []].append(socket)
        }
        guard let only = runs.first?.value.first else {
            throw EmulatorError(
                .inputOutput, "no beaconry runs here (no socket in \(Folders.runtime))",
                hint: "start one (beaconry run PROFILE), or name its socket (--control PATH)")
        }
        guard runs.count == 1 else {
            let names = sockets.map { $0.dropLast(".sock".count) }.joined(separator: ", ")
            throw Failure.usage("several profiles run (\(names)); name one with --profile")
        }
        return "\(Folders.runtime)/\(only)"
    }

    private static func words(_ reload: Emulator.ReloadResult) -> String {
        func part(_ name: String, _ devices: [String]) -> String? {
            devices.isEmpty ? nil : "\(name) \(devices.joined(separator: ", "))"
        }
        let parts = [
            part("added", reload.added), part("changed", reload.changed), part("removed", reload.removed),
            part("kept", reload.kept),
        ]
        return "reloaded: " + parts.compactMap(\.self).joined(separator: "; ")
    }
}

/// A command of `beaconry ctl`.
protocol ControlCommand: AsyncParsableCommand, ReportsErrorsAsJSON {
    /// Whom to ask, and how to print the answer.
    var options: ControlOptions { get }
}

extension ControlCommand {
    var writesJSON: Bool { options.json }
}

/// `beaconry ctl list`
struct ControlList: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show all beacons.", discussion: "Example: beaconry ctl list --json")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.send(.list(profile: options.profile), words: BeaconText.list) }
}

/// `beaconry ctl show`
struct ControlShow: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one beacon with all its settings.",
        discussion: "Example: beaconry ctl show entrance")
    @Argument(help: "The beacon's id.") var device: String
    @OptionGroup var options: ControlOptions
    func run() async throws {
        try await options.send(.show(device)) { $0.flatMap { BeaconText.details($0) } }
    }
}

/// `beaconry ctl set`
struct ControlSet: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change settings of a beacon, all or none.",
        discussion: """
            Example: beaconry ctl set entrance uuid=E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 minor=3 tx-power=-6dBm

            Settings: uuid, major, minor, measured-power, interval, tx-power; and the characteristics of a device that has
            named ones, such as level=80, where auto lets one that changes by itself go on as the profile has it. `ctl \
            show` shows them.
            """)
    @Argument(help: "The beacon's id.") var device: String
    @Argument(help: "Settings as KEY=VALUE.") var settings: [String]
    @OptionGroup var options: ControlOptions

    func run() async throws {
        var values: [String: String] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw Failure.usage("\"\(setting)\" is not a setting; write KEY=VALUE, such as major=7")
            }
            guard values.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                throw Failure.usage("\(parts[0]) is given twice; leave one out")
            }
        }
        let keys = Set(values.keys)
        try await options.send(.set(device, values)) { beacons in
            beacons.flatMap { BeaconText.details($0, only: keys) }
        }
    }
}

/// `beaconry ctl enable`
struct ControlEnable: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Switch a beacon on.", discussion: "Example: beaconry ctl enable entrance")
    @Argument(help: "The beacon's id.") var device: String
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.send(.enable(device)) }
}

/// `beaconry ctl disable`
struct ControlDisable: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Switch a beacon off, as if its battery were out.",
        discussion: "Example: beaconry ctl disable entrance")
    @Argument(help: "The beacon's id.") var device: String
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.send(.disable(device)) }
}

/// `beaconry ctl act`
struct ControlAct: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "act", abstract: "Have a notification display act on a phone's notification.",
        discussion: """
            Example: beaconry ctl act bob positive 7

            The number is the uid of an event of the present session; the event action-performed or action-failed tells what
            came of it.
            """)
    @Argument(help: "The display's id.") var device: String
    @Argument(help: "positive or negative.") var action: String
    @Argument(help: "The notification's number.") var notification: String
    @OptionGroup var options: ControlOptions

    func run() async throws {
        try await options.send(.act(device, ["action": action, "notification": notification]))
    }
}

/// `beaconry ctl reload`
struct ControlReload: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Read the profiles again.", discussion: "Example: beaconry ctl reload")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.send(.reload) }
}

/// `beaconry ctl events`
struct ControlEvents: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Tell what happens until the run ends.",
        discussion: "Example: beaconry ctl events --json")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.sendEvents() }
}

/// `beaconry ctl stop`
struct ControlStop: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End the run, as Ctrl-C does; it is over when this returns.",
        discussion: "Example: beaconry ctl stop")
    @OptionGroup var options: ControlOptions

    private struct Record: Encodable {
        let v = 1
        let stopped = true
    }

    func run() async throws {
        try await options.send(.stop)
        Output.line(options.json ? JSONLine.encode(Record()) : "stopped")
    }
}
