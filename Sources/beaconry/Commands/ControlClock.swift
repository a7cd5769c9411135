// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Concurrency
import Devices
import Emulator
import RunAPI

/// `beaconry ctl clock`
struct ControlClock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Show or change the clock of a run in virtual time.",
        discussion: """
            Example: beaconry ctl clock advance 30s

            A run with --rate has such a clock.
            """,
        subcommands: [Show.self, Advance.self, Pause.self, Rate.self], defaultSubcommand: Show.self)

    /// `beaconry ctl clock show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the time since the beginning of the run, and the rate.",
            discussion: "Example: beaconry ctl clock --json")
        @OptionGroup var options: ControlOptions
        func run() async throws { try await options.tool.perform(ShowClock()) { [ClockText.line($0)] } }
    }

    /// `beaconry ctl clock advance`
    struct Advance: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "advance", abstract: "Advance a paused clock.",
            discussion: """
                Example: beaconry ctl clock advance 30s

                The command ends when all that is due until then is done.
                """)
        @Argument(help: "The time, such as 30s, 500ms or 2h.") var time: String
        @OptionGroup var options: ControlOptions

        func run() async throws {
            let advance = try AdvanceClock { clock throws(Failure) in
                do throws(ValueFault) {
                    clock.time = try ValueText.duration(time)
                } catch {
                    throw .usage("\(error.message)")
                }
            }
            try await options.tool.perform(advance) { [ClockText.line($0)] }
        }
    }

    /// `beaconry ctl clock pause`
    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause", abstract: "Pause the clock, until advance or rate.",
            discussion: "Example: beaconry ctl clock pause")
        @OptionGroup var options: ControlOptions
        func run() async throws {
            try await options.tool.perform(SetRate { $0.rate = .manual }) { [ClockText.line($0)] }
        }
    }

    /// `beaconry ctl clock rate`
    struct Rate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rate", abstract: "Change the rate of the clock.",
            discussion: "Example: beaconry ctl clock rate 10")
        @Argument(help: "max, manual, or seconds of the run in a second of real time.", transform: OptionValue.rate)
        var rate: Simulation.Rate
        @OptionGroup var options: ControlOptions
        func run() async throws {
            try await options.tool.perform(SetRate { $0.rate = rate }) { [ClockText.line($0)] }
        }
    }
}
