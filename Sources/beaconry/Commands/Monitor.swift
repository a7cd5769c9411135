// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Persistence
import Profiles
import Radio
import Receiving

/// `beaconry monitor`
struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Monitor regions: report when they are entered and left.",
        discussion: """
            Example: beaconry monitor regions.yaml --exec ./greet.sh --notify

            Without a file, the saved list is monitored: beaconry monitor add, remove and list edit it. States and the \
            times of messages survive a restart.
            """,
        subcommands: [MonitorWatch.self, MonitorAdd.self, MonitorRemove.self, MonitorList.self],
        defaultSubcommand: MonitorWatch.self)
}

/// The folder of all `monitor` commands.
struct MonitorFolderOption: ParsableArguments {
    @Option(help: StateOptions.folderHelp)
    var state: String?

    var folder: MonitorFolder { MonitorFolder(state: Folders.state(state)) }
}

/// The limit of all `monitor` commands.
struct RegionLimitOption: ParsableArguments {
    @Option(help: "Maximum number of regions, or none for no limit (default: 20).", transform: limit)
    var maxRegions: Int?

    /// The limit; `nil` for none.
    var value: Int? { maxRegions == .max ? nil : maxRegions ?? 20 }

    private static func limit(_ text: String) throws(ValueFault) -> Int {
        if text == "none" { return .max }
        guard let limit = Int(text), limit > 0 else {
            throw ValueFault("\"\(text)\" is not a whole number from 1, or none")
        }
        return limit
    }
}

/// `beaconry monitor`, with or without `watch`
struct MonitorWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Monitor the regions of a file, or the saved ones (the default).",
        discussion: """
            Example: beaconry monitor regions.yaml --exec ./greet.sh --notify

            The program of --exec gets BEACONRY_EVENT (entered, exited, state), BEACONRY_REGION, BEACONRY_REGION_STATE, \
            BEACONRY_UUID, BEACONRY_MAJOR, BEACONRY_MINOR, BEACONRY_NAMESPACE, BEACONRY_INSTANCE, BEACONRY_MESSAGE and \
            BEACONRY_TIME in its environment, and the event as JSON on its standard input. No shell is involved.
            """)

    @Argument(help: "Regions, in YAML (default: the saved list). Changes of the file are read within a second.")
    var file: String?

    @Option(help: "Program to run when a region is entered or left.")
    var exec: String?

    @Option(parsing: .unconditionalSingleValue, help: "Argument of that program; may be repeated.")
    var execArgument: [String] = []

    @Option(help: "Time limit of that program.", transform: ValueText.duration)
    var execTimeout = Duration.seconds(30)

    @Flag(help: "Show messages on the desktop.")
    var notify = false

    @Option(
        help: "Time without an advertisement after which a region is left, unless it has its own.",
        transform: ValueText.duration)
    var exitAfter = Duration.seconds(30)

    @Flag(inversion: .prefixedNo, help: "Report the beacons in range of regions that are inside, once a second.")
    var ranging = true

    @Flag(help: "Do not save states; so it is with --profile.")
    var ephemeral = false

    @OptionGroup var limit: RegionLimitOption

    @OptionGroup var folder: MonitorFolderOption

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        // The states of regions in a simulation say nothing about regions outside of it.
        let isEphemeral = try StateOptions.checkEphemeral(ephemeral, state: folder.state) || options.air.isGiven
        var source = RegionSource(file: file, folder: folder.folder)
        if try source.read().isEmpty {
            throw Failure.usage("no region is saved; save one (beaconry monitor add), or name a file of regions")
        }
        let lock = isEphemeral ? nil : try folder.folder.lock(source.listName)
        defer { lock?.release() }
        if exec == nil, !execArgument.isEmpty { throw Failure.usage("--exec-argument needs --exec") }
        let monitoring = Monitoring(
            RegionMonitor.Settings(quietTime: exitAfter, maximumRegions: limit.value),
            ranging: try distance.settings(), source: source, states: isEphemeral ? nil : folder.folder,
            reaction: Monitoring.Reaction(
                command: exec.map { EventCommand(arguments: [$0] + execArgument, timeout: execTimeout) },
                notifies: notify),
            printsRanging: ranging, format: options.format)
        try await monitoring.run(for: try time.value(), waits: options.waits) { duration in
            try options.listening(duration: duration, limits: ranging ? [.duplicates] : [])
        }
    }
}

/// `beaconry monitor add`
struct MonitorAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Save a region; it replaces the one with the same name.",
        discussion: """
            Example: beaconry monitor add shop --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --hello Welcome

            A running monitor reads the change within a second.
            """)

    @Argument(help: "The region's name.", transform: ValueText.label) var identifier: String
    @OptionGroup var region: RegionOptions
    @Option(help: "Message on entering.", transform: ValueText.message) var hello: String?
    @Option(help: "Message on leaving.", transform: ValueText.message) var goodbye: String?
    @Option(
        help: "Minimum time between two hellos, and between two goodbyes, such as 1h.", transform: ValueText.duration)
    var atMostOncePer: Duration?
    @Option(
        help: "Time without an advertisement after which the region is left (default: --exit-after of monitor).",
        transform: ValueText.duration)
    var exitAfter: Duration?
    @OptionGroup var limit: RegionLimitOption
    @OptionGroup var folder: MonitorFolderOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        let entry = RegionList.Entry(
            identifier: identifier, try region.identifiers(), hello: hello, goodbye: goodbye,
            atMostOncePer: atMostOncePer, exitAfter: exitAfter)
        try SavedRegionList(folder.folder, format: output.format).add(entry, limit: limit.value)
    }
}

/// `beaconry monitor remove`
struct MonitorRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a region from the saved list.",
        discussion: "Example: beaconry monitor remove shop")

    @Argument(help: "The region's name.") var identifier: String
    @OptionGroup var folder: MonitorFolderOption
    @OptionGroup var output: OutputOptions

    func run() throws { try SavedRegionList(folder.folder, format: output.format).remove(identifier) }
}

/// `beaconry monitor list`
struct MonitorList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the saved list.", discussion: "Example: beaconry monitor list --json")

    @OptionGroup var folder: MonitorFolderOption
    @OptionGroup var output: OutputOptions

    func run() throws { try SavedRegionList(folder.folder, format: output.format).list() }
}
