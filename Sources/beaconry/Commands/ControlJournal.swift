// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Emulator
import RunAPI

/// `beaconry ctl journal`
struct ControlJournal: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Show the events of a run so far.",
        discussion: """
            Example: beaconry ctl journal --type connected --type written --device entrance

            A run keeps its last 10,000 events. A line has the number of the event, its time, and its members as a condition \
            of `ctl wait`.
            """)
    @Option(help: "Name of events to show; may be repeated (default: all).") var type: [String] = []
    @Option(help: "Beacon or phone whose events to show (default: all).") var device: String?
    @OptionGroup var start: JournalStartOption
    @Flag(help: "Remove all events of the journal afterwards.") var clear = false
    @OptionGroup var options: ControlOptions

    func run() async throws {
        try start.check()
        let selection = EventSelection(types: type.isEmpty ? nil : Set(type), device: device)
        do throws(EmulatorError) {
            try selection.check()
        } catch {
            throw Failure.usage("--type: \(error)")
        }
        let journal = ShowJournal {
            $0.types = type.isEmpty ? nil : EventTypes(Set(type))
            $0.device = device
            $0.begin = start.since.map(JournalBegin.init)
        }
        try await options.tool.printJournal(journal, clears: clear)
    }
}

/// `beaconry ctl wait`
struct ControlWait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for events of a run: exit code 0 or 1.",
        discussion: """
            Example: beaconry ctl wait connected,device=entrance written,decoded.major=7 --within 5s

            A condition is EVENT,KEY=VALUE with any number of keys, as `ctl journal` prints them; a dot is between nested keys, and \
            a * at the end of a value stands for any text. Events of the journal count, too. All conditions must be met; for \
            those that are not, the nearest events are printed.
            """)
    @Argument(help: "Conditions as EVENT,KEY=VALUE.") var conditions: [String]

    @Option(help: "Time limit, in the time of the run.") var within = "5s"

    @Option(
        help: "Exact number of events of each condition; 0 waits until the time limit (default: at least 1).",
        transform: OptionValue.wholeNumber(in: 0...10_000))
    var count: Int?

    @Option(
        help: "Least number of events of each condition (default: 1).",
        transform: OptionValue.wholeNumber(in: 1...10_000))
    var atLeast: Int?

    @Flag(help: "Accept names of beacons and hosts that are not there yet.") var mayAppear = false

    @OptionGroup var start: JournalStartOption
    @OptionGroup var options: ControlOptions

    func run() async throws {
        do throws(ValueFault) {
            _ = try ValueText.duration(within)
        } catch {
            throw Failure.usage("--within: \(error.message)")
        }
        if count != nil, atLeast != nil {
            throw Failure.usage("--count and --at-least exclude each other; leave one out")
        }
        try start.check()
        try await options.tool.wait(
            for: conditions, count: count, atLeast: atLeast, within: within, since: start.since, mayAppear: mayAppear)
    }
}

/// The beginning of what is read of the journal.
struct JournalStartOption: ParsableArguments {
    @Option(help: "Only events after the one with this number, or of a time such as 30s (default: all).")
    var since: String?

    /// - Throws: `Failure` of wrong usage.
    func check() throws(Failure) {
        guard let since, UInt64(since) == nil else { return }
        do throws(ValueFault) {
            _ = try ValueText.duration(since)
        } catch {
            throw Failure.usage("--since: \"\(since)\" is neither the number of an event nor a duration such as 30s")
        }
    }
}
