// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import JSON

/// The program: parses the command line, runs the command and reports its errors.
@main
struct Beaconry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beaconry",
        abstract: "Beacons without the hardware.",
        discussion: """
            Example: beaconry run profiles/iot-design-shop.yaml

            Environment variables that stand in for the options of their names: \
            \(EnvironmentVariable.allCases.map(\.name).joined(separator: ", ")).

            Manual pages: man beaconry-run for the command run, man 5 beaconry-profile and man 5 beaconry-scenario for \
            the files. Messages name documents as in the repository, docs/NAME.md; an installed program has them in \
            share/doc/beaconry, and profiles, scenarios and schemas in share/beaconry.

            Shell completions: beaconry --generate-completion-script bash, zsh or fish.

            Exit codes: 0 done, 1 an expectation was not met, 64 wrong usage, 65 bad input data, 69 the radio is missing, \
            refuses or cannot carry the profile, 70 internal error, 73 cannot create, 74 input-output error.
            """,
        version: Version.text,
        groupedSubcommands: groups)

    /// All commands, in the order of the help.
    static let groups = [
        CommandGroup(
            name: "Beacons",
            subcommands: [
                Demo.self, Init.self, Run.self, Advertise.self, Control.self, Check.self, Reset.self, BenchCommand.self,
            ]),
        CommandGroup(
            name: "Phone's Side",
            subcommands: [
                Scan.self, Range.self, Seek.self, Expect.self, Monitor.self, Calibrate.self, Record.self, Plot.self,
                Clone.self, Manage.self, PhoneCommand.self,
            ]),
        CommandGroup(
            name: "Tests", subcommands: [Test.self, Survey.self, Sweep.self, Merge.self, DBus.self]),
        CommandGroup(name: "Tools", subcommands: [Encode.self, Decode.self, Radios.self, Doctor.self, Schema.self]),
    ]

    static func main() async {
        // What follows -- is not ours: the command of beaconry dbus.
        let arguments = Array(CommandLine.arguments.dropFirst().prefix { $0 != "--" })
        if ["run", "advertise", "dbus", "demo"].contains(arguments.first) { Hangup.prepare() }
        Heap.useOneArena()
        FileCapabilities.makeEffective()
        do {
            try CommandNames.check(arguments, of: Self.self)
            try EnvironmentVariable.checkFlags()
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error, as: arguments.contains("--json") || EnvironmentVariable.json.isSet ? .json : .text)
        }
    }
}
