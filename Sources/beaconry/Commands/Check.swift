// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import BlueZRadio
import Devices
import Radio

/// `beaconry check`
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check profiles for errors and for what receivers would not see.",
        discussion: """
            Example: beaconry check profiles/museum.yaml --radio bluez:hci0

            Exit code 1 if something will not work; with --fail-on warning also if some receivers are affected. What several beacons have in common is one line; with --json, each is an \
            object. With --radio, the profiles are checked against the capabilities of that radio, too; with --assume, \
            against the capabilities of a common adapter, which need not be there. \
            Profiles of phones (beaconry phone) are checked as well.
            """)

    @Argument(help: "Profiles, in YAML.")
    var profiles: [String]

    @Option(
        help: ArgumentHelp(
            """
            Pattern of the ids of beacons, such as 'room-3-*', or of PROFILE/ID: only these are checked; may be repeated \
            (default: all).
            """, valueName: "pattern"))
    var only: [String] = []

    @OptionGroup var radio: RadioOption

    @Option(
        help: ArgumentHelp(
            """
            Common adapter whose capabilities are checked: \(KnownAdapter.names.joined(separator: ", ")) (default: none). \
            bluetooth-4 is another name of legacy: what counts is extended advertising, which some newer controllers lack.
            """, valueName: "adapter"),
        completion: .list(KnownAdapter.names), transform: Self.adapter)
    var assume: AssumedAdapter?

    @Option(
        help: ArgumentHelp(
            "Least severity of a finding that makes the exit code 1: error, warning or advice (default: error).",
            valueName: "severity"),
        completion: .list(ProfileFinding.Severity.allCases.map(\.rawValue)),
        transform: { try ValueText.choice($0, of: ProfileFinding.Severity.self) })
    var failOn = ProfileFinding.Severity.error

    @Option(help: ArgumentHelp("Form of the results: text, json, sarif or github (default: text).", valueName: "form"))
    var format: CheckFormat?

    @OptionGroup var output: OutputOptions

    private static func adapter(_ name: String) throws -> AssumedAdapter {
        guard let adapter = AssumedAdapter(name) else {
            throw ValueFault(
                Spelling.unknown("there is no known adapter \"\(name)\"", name, "adapters", KnownAdapter.names))
        }
        return adapter
    }

    func validate() throws {
        if output.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) exclude each other; leave one out")
        }
    }

    func run() async throws {
        var forecast: (([HostedBeacon]) async throws -> RadioForecast)?
        if let assume {
            if radio.isGiven { throw Failure.usage("--assume and --radio exclude each other; leave one out") }
            forecast = { assume.forecast($0) }
        } else if radio.isGiven {
            let driver = try radio.driver()
            forecast = { beacons in try await driver.forecast(beacons) }
        }
        let format = format ?? (output.format == .json ? .json : .text)
        let tool = CheckTool(
            profiles, only: BeaconPatterns.chosen(only), as: format, version: Version.text, failingOn: failOn)
        try await tool.run(forecast: forecast)
    }
}

extension CheckFormat: ExpressibleByArgument {}
