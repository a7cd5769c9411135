// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Emulator
import RunAPI

/// `beaconry ctl scenario`
struct ControlScenario: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario", abstract: "Perform the timeline of a scenario on the run.",
        discussion: """
            Example: beaconry ctl scenario start evening.yaml

            The timeline can make the same changes as beaconry ctl. Beacons, receivers and expectations of the file \
            have no effect: beaconry test runs a whole scenario.
            """,
        subcommands: [Show.self, Start.self, Stop.self], defaultSubcommand: Show.self)

    /// `beaconry ctl scenario show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the progress of the scenario.",
            discussion: "Example: beaconry ctl scenario --json")
        @OptionGroup var options: ControlOptions
        func run() async throws { try await options.tool.perform(ShowScenario(), lines: ScenarioText.lines) }
    }

    /// `beaconry ctl scenario start`
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start a scenario, and stop the one before.",
            discussion: "Example: beaconry ctl scenario start evening.yaml")
        @Argument(help: "The scenario, in YAML.") var file: String
        @OptionGroup var options: ControlOptions

        func run() async throws {
            let text = try ProfileFiles.text(file, examples: "scenarios/")
            let start = StartScenario {
                $0.document = Document(text)
                $0.file = file
            }
            try await options.tool.perform(start, lines: ScenarioText.lines)
        }
    }

    /// `beaconry ctl scenario stop`
    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop the scenario; what it has changed stays.",
            discussion: "Example: beaconry ctl scenario stop")
        @OptionGroup var options: ControlOptions
        func run() async throws { try await options.tool.perform(StopScenario(), lines: ScenarioText.lines) }
    }
}
