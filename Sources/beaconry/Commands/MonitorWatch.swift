// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import Emulator
import Persistence
import Profiles
import Radio
import Receiving

/// `beaconry monitor` without add, remove or list.
struct MonitorWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Watch the regions of a file, or the saved ones (the default).",
        discussion: """
            Example: beaconry monitor regions.yaml --exec ./greet.sh --notify

            The command that --exec names gets BEACONRY_EVENT (entered, exited, state), BEACONRY_REGION, \
            BEACONRY_REGION_STATE, BEACONRY_UUID, BEACONRY_MAJOR, BEACONRY_MINOR, BEACONRY_MESSAGE and BEACONRY_TIME in its \
            environment, and the event as JSON on its standard input. No shell has a part in it.
            """)

    @Argument(help: "Regions, in YAML; default: the saved list. A change of the file is taken up within a second.")
    var file: String?

    @Option(help: "A program that is run when a region is entered or left.")
    var exec: String?

    @Option(parsing: .unconditionalSingleValue, help: "An argument of that program; may be repeated.")
    var execArgument: [String] = []

    @Option(help: "How long that program may run.")
    var execTimeout = "30s"

    @Flag(help: "Show messages on the desktop.")
    var notify = false

    @Option(help: "How long nothing is heard before a region is left, where it does not say so itself.")
    var exitAfter = "30s"

    @Flag(inversion: .prefixedNo, help: "Tell once a second what is in range of regions that are inside.")
    var ranging = true

    @Flag(help: "Keep nothing.")
    var ephemeral = false

    @OptionGroup var limit: RegionLimitOption

    @OptionGroup var folder: MonitorFolderOption

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        if ephemeral, folder.state != nil {
            throw Failure.usage("--ephemeral and --state exclude each other; leave one out")
        }
        let keepsNothing = ephemeral || Environment.flag("BEACONRY_EPHEMERAL")
        var source = RegionSource(file: file, folder: folder.folder)
        if try source.read().isEmpty {
            throw Failure.usage("no region is saved; save one (beaconry monitor add), or name a file of regions")
        }
        let lock = keepsNothing ? nil : try folder.folder.lock(source.listName)
        defer { lock?.release() }
        let reactions = try reactions()
        let monitoring = Monitoring(
            settings: RegionMonitor.Settings(
                quietTime: try duration("--exit-after", exitAfter), maximumRegions: try limit.value()),
            ranging: try distance.settings(), source: source,
            keeper: StateKeeper(
                folder: keepsNothing ? nil : folder.folder, list: source.listName, isJSON: options.isJSON),
            reactions: reactions, output: MonitorOutput(isJSON: options.isJSON, tellsRanging: ranging),
            isJSON: options.isJSON)
        do {
            _ = try monitoring.makeWatch()
        } catch let error as RegionMonitor.TooManyRegions {
            throw Failure.badData("\(error) (--max-regions)")
        }
        let ending = try await listen(monitoring)
        await reactions.finish()
        try ending.check()
    }

    /// Listens until the end; with --wait, a radio that is lost is waited for.
    private func listen(_ monitoring: Monitoring) async throws -> Listening.Ending {
        let length = try time.value()
        let start = ContinuousClock.now
        while true {
            let rest = length.map { max($0 - start.duration(to: .now), .zero) }
            let ending = try await Listening(options, duration: rest).run { radio, _ in
                try await monitoring.run(on: radio)
            }
            guard case .lost(let error) = ending, options.waits else { return ending }
            Notice(
                code: "radio-lost", message: error.message, hint: "none needed: it is waited for, and states stay"
            ).tell(asJSON: options.isJSON)
            // What ends at once should not be tried without a pause.
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func reactions() throws -> Reactions {
        if exec == nil, !execArgument.isEmpty { throw Failure.usage("--exec-argument needs --exec") }
        let timeout = try duration("--exec-timeout", execTimeout)
        return Reactions(
            command: exec.map { EventCommand(arguments: [$0] + execArgument, timeout: timeout) }, notifies: notify,
            isJSON: options.isJSON)
    }

    private func duration(_ option: String, _ text: String) throws -> Duration {
        try named(option) { () throws(ValueFault) in try ValueText.duration(text) }
    }
}
