// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The program.
@main
struct Beaconry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beaconry",
        abstract: "Beacons without the hardware.",
        discussion: """
            Example: beaconry run profiles/iot-design-shop.yaml

            Options have environment variables of their names, such as BEACONRY_RADIO. Shell completions: beaconry \
            --generate-completion-script bash, zsh or fish.

            Exit codes: 0 done, 1 an expectation was not met, 64 wrong usage, 65 bad input data, 69 the radio is missing, \
            refuses or cannot carry the profile, 70 internal error, 73 cannot create, 74 input-output error.
            """,
        version: Version.text,
        groupedSubcommands: groups)

    /// In the order in which they are shown.
    static let groups = [
        CommandGroup(
            name: "Beacons", subcommands: [Run.self, Advertise.self, Control.self, Check.self, Reset.self]),
        CommandGroup(
            name: "Phone's Side",
            subcommands: [
                Scan.self, Range.self, Seek.self, Expect.self, Monitor.self, Calibrate.self, Record.self, Clone.self,
                Manage.self, PhoneCommand.self,
            ]),
        CommandGroup(name: "Tools", subcommands: [Encode.self, Decode.self, Radios.self]),
    ]

    static func main() async {
        if ["run", "advertise"].contains(CommandLine.arguments.dropFirst().first) { Hangup.prepare() }
        Heap.useOneArena()
        FileCapabilities.makeEffective()
        var writesJSON = CommandLine.arguments.contains("--json")
        do {
            try CommandNames.check(Array(CommandLine.arguments.dropFirst()), of: Self.self)
            var command = try parseAsRoot()
            writesJSON = writesJSON || Self.writesJSON(command)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            Failure.exit(with: error, asJSON: writesJSON)
        }
    }

    /// Whether a command's errors are JSON.
    private static func writesJSON(_ command: any ParsableCommand) -> Bool {
        (command as? any ReportsErrorsAsJSON)?.writesJSON ?? false
    }
}
