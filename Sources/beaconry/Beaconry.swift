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

            Exit codes: 0 done, 1 an expectation did not come true, 64 wrong usage, 65 bad input data, 69 the radio is not
            there or cannot do it, 70 our fault, 73 cannot create, 74 input-output error.
            """,
        version: "0.1.0",
        subcommands: [
            Run.self, Advertise.self, Control.self, Encode.self, Decode.self, Check.self, Radios.self, Reset.self,
            Scan.self, Range.self, Seek.self, Calibrate.self, Expect.self, Monitor.self, Manage.self, Record.self,
            Clone.self, PhoneCommand.self,
        ])

    static func main() async {
        if ["run", "advertise"].contains(CommandLine.arguments.dropFirst().first) { Hangup.prepare() }
        Heap.useOneArena()
        FileCapabilities.makeEffective()
        var writesJSON = false
        do {
            try CommandNames.check(Array(CommandLine.arguments.dropFirst()), of: Self.self)
            var command = try parseAsRoot()
            writesJSON = Self.writesJSON(command)
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
