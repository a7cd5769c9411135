// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Concurrency
import DBus
import Emulator
import Profiles
import Radio
package import Receiving

/// `monitor`: watches regions, reports and saves their states, and reacts to changes.
package struct Monitoring: Sendable {
    private static let tick = Duration.milliseconds(50)
    private static let rereading = Duration.seconds(1)

    /// The reactions to a region that is entered or left.
    package struct Reaction: Sendable {
        /// The command to run; `nil` for none.
        package var command: EventCommand?
        /// Whether to show messages on the desktop.
        package var notifies: Bool

        package init(command: EventCommand?, notifies: Bool) {
            self.command = command
            self.notifies = notifies
        }
    }

    private let settings: RegionMonitor.Settings
    private let ranging: Ranging.Settings
    private let source: RegionSource
    private let states: StateStore
    private let reactions: Reactions
    private let printsRanging: Bool
    private let format: OutputFormat

    /// - Parameters:
    ///   - folder: the folder for the states, which a later command continues; `nil` to save none.
    ///   - printsRanging: whether to report the beacons in range of the regions that are inside.
    package init(
        _ settings: RegionMonitor.Settings, ranging: Ranging.Settings, source: RegionSource,
        states folder: MonitorFolder?,
        reaction: Reaction, printsRanging: Bool, format: OutputFormat
    ) {
        self.settings = settings
        self.ranging = ranging
        self.source = source
        states = StateStore(folder: folder, list: source.listName, format: format)
        reactions = Reactions(reaction, format: format)
        self.printsRanging = printsRanging
        self.format = format
    }

    /// Watches until the end of the listening.
    /// - Parameters:
    ///   - duration: the time limit; `nil` for none.
    ///   - waits: whether to wait for a radio that is lost.
    ///   - listening: a new use of the radio with a duration.
    package func run(
        for duration: Duration?, waits: Bool, listening: (Duration?) throws -> Listening
    ) async throws {
        do {
            _ = try makeWatch()
        } catch let error as RegionMonitor.TooManyRegions {
            throw Failure.badData("\(error) (--max-regions)")
        }
        var use = try listening(duration)
        // After that, because it may begin virtual time.
        let clock = Timekeeper(Simulation.clock)
        var ending = Listening.Ending.done
        while true {
            ending = try await use.run { radio, _ in try await watch(on: radio) }
            guard case .lost(let error) = ending, waits else { break }
            let notice = Notice(
                code: "radio-lost", message: error.message,
                hint: "none needed: waiting for the radio; states are preserved")
            Output.report(notice, as: format)
            // Avoids a busy loop with a radio that fails at once.
            guard await clock.sleep(for: .milliseconds(500)) else { break }
            use = try listening(duration.map { max($0 - clock.now(), .zero) })
        }
        await reactions.finish()
        try ending.check()
    }

    /// A watch of the current list with the saved states.
    /// - Throws: `RegionMonitor.TooManyRegions`, and errors of reading the list or the states.
    private func makeWatch() throws -> (RegionWatch, RegionSource) {
        var source = source
        var watch = RegionWatch(settings, ranging: ranging, start: .sinceUnixEpoch)
        try watch.watch(try source.read(), at: .zero)
        watch.restore(try states.states(), at: .zero)
        return (watch, source)
    }

    private func watch(on radio: any CentralRadio) async throws {
        var (watch, source) = try makeWatch()
        var output = MonitorOutput(format: format, printsRanging: printsRanging)
        for status in watch.statuses { output.report(RegionRecord(status)) }
        states.save(watch.savedStates)
        var nextReading = Self.rereading
        for await reception in try await radio.receptions(every: Self.tick) {
            for result in watch.take(reception) {
                switch result {
                case .changed(let event, let message, let isHeldBack):
                    states.save(watch.savedStates)
                    let record = RegionRecord(event, message: message, isHeldBack: isHeldBack)
                    output.report(record)
                    if event.kind != .determined, !isHeldBack { reactions.react(to: record) }
                case .ranged(let report, let region): output.report(report, in: region)
                }
            }
            guard reception.time >= nextReading else { continue }
            nextReading = reception.time + Self.rereading
            if source.hasChanged {
                read(&source, into: &watch, at: reception.time)
                states.save(watch.savedStates)
            }
        }
    }

    /// Reads the list again; an invalid list changes nothing.
    private func read(_ source: inout RegionSource, into watch: inout RegionWatch, at time: Duration) {
        do {
            try watch.watch(try source.read(), at: time)
        } catch {
            let reason = Failure(error)?.message ?? "\(error)"
            let notice = Notice(
                code: "regions-not-read", message: "the changed list of regions is not used: \(reason)",
                hint: "correct it; until then the previous regions are watched")
            Output.report(notice, as: format)
        }
    }
}

/// Runs the command and shows the messages for changes of regions; nothing waits for them.
private struct Reactions: Sendable {
    private let commands: EventCommandQueue?
    private let notifier: DesktopNotifier?
    private let format: OutputFormat

    init(_ reaction: Monitoring.Reaction, format: OutputFormat) {
        commands = reaction.command.map { EventCommandQueue($0) { Output.report($0, as: format) } }
        notifier = reaction.notifies ? DesktopNotifier() : nil
        self.format = format
    }

    /// Reacts to a change.
    func react(to record: RegionRecord) {
        if let commands { Task { await commands.run(record) } }
        guard let notifier, let message = record.message else { return }
        Task { [format] in
            do throws(DBusError) {
                try await notifier.show(title: record.region, message: message, region: record.region)
            } catch {
                let notice = Notice(
                    code: "notify-failed", message: "the message could not be shown on the desktop: \(error)",
                    hint: "run it in a desktop session with a notification service, or leave out --notify")
                Output.report(notice, as: format)
            }
        }
    }

    /// Ends the reactions that are still running.
    func finish() async {
        await commands?.finish()
        await notifier?.close()
    }
}

/// Prints states, changes and ranging reports: as objects, as lines, or on a terminal as lines above a redrawn list.
private struct MonitorOutput: Sendable {
    private let format: OutputFormat
    private let printsRanging: Bool
    private let screen: LiveScreen?
    /// The ranging lines of each region that is inside.
    private var ranged: [String: [String]] = [:]
    /// Their last RSSI values.
    private var states: [String: RangingState] = [:]

    init(format: OutputFormat, printsRanging: Bool) {
        self.format = format
        self.printsRanging = printsRanging
        screen = printsRanging ? LiveScreen.forResults(as: format) : nil
    }

    mutating func report(_ record: RegionRecord) {
        guard let screen else { return Output.report(record, as: format) }
        record.lines.forEach(screen.print)
        if record.state != RegionState.inside.rawValue {
            ranged[record.region] = nil
            states[record.region] = nil
        }
        draw(on: screen)
    }

    mutating func report(_ report: RangingReport, in region: BeaconRegion) {
        guard printsRanging else { return }
        if screen != nil {
            let own = RangingReport(time: report.time, beacons: report.beacons(in: region))
            states[region.identifier, default: RangingState()].take(own)
        }
        let output = RangingOutput(report, in: region, trends: states[region.identifier]?.trends ?? [:])
        guard format == .text else { return Output.report(output, as: format) }
        guard let screen else {
            for beacon in output.beacons { Output.line("\(region.identifier): \(beacon.proximity): \(beacon.line)") }
            return
        }
        ranged[region.identifier] = output.liveLines.map { "  \($0)" }
        draw(on: screen)
    }

    private func draw(on screen: LiveScreen) {
        let lines = ranged.sorted { $0.key < $1.key }.flatMap { ["\($0.key):"] + $0.value }
        screen.show(
            ListView.Content(title: "inside \(Formatting.count(ranged.count, "region")); Ctrl-C ends", lines: lines))
    }
}
