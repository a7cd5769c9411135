// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulator
import Persistence
import Profiles
import Receiving

/// `beaconry monitor`
struct Monitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch regions: greet who enters, say goodbye to who leaves.",
        discussion: """
            Example: beaconry monitor regions.yaml --exec ./greet.sh --notify

            Without a file, the saved list is watched: beaconry monitor add, remove and list edit it. What is said last \
            and the last states survive a restart.
            """,
        subcommands: [MonitorWatch.self, MonitorAdd.self, MonitorRemove.self, MonitorList.self],
        defaultSubcommand: MonitorWatch.self)
}

/// The folder that all `monitor` commands share.
struct MonitorFolderOption: ParsableArguments {
    @Option(help: "The folder of persisted states.")
    var state: String?

    var folder: MonitorFolder { MonitorFolder(state: Folders.state(state)) }
}

/// The limit that all `monitor` commands share.
struct RegionLimitOption: ParsableArguments {
    @Option(help: "How many regions there may be at most, or none for any number.")
    var maxRegions = "20"

    /// `nil` for any number.
    func value() throws -> Int? {
        if maxRegions == "none" { return nil }
        guard let limit = Int(maxRegions), limit > 0 else {
            throw Failure.usage("--max-regions: \"\(maxRegions)\" is not a whole number from 1, or none")
        }
        return limit
    }
}

/// `beaconry monitor add`
struct MonitorAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Save a region; it replaces the one of the same identifier.",
        discussion: """
            Example: beaconry monitor add shop --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --hello Welcome

            A monitor that runs takes it up within a second.
            """)

    @Argument(help: "The region's name.") var identifier: String
    @Option(help: "The proximity UUID.") var uuid: String
    @Option(parsing: .unconditional, help: "The major number; default: any.") var major: String?
    @Option(parsing: .unconditional, help: "The minor number, of that major; default: any.") var minor: String?
    @Option(help: "What is said on entering.") var hello: String?
    @Option(help: "What is said on leaving.") var goodbye: String?
    @Option(help: "The least time between two hellos, and between two goodbyes, such as 1h.") var atMostOncePer: String?
    @Option(help: "How long nothing is heard before it is left; default: as monitor says.") var exitAfter: String?
    @OptionGroup var limit: RegionLimitOption
    @OptionGroup var folder: MonitorFolderOption
    @Flag(help: "One JSON object a line on standard output.") var json = false

    func run() throws {
        let region = SavedRegion(try entry())
        let folder = folder.folder
        let lock = try folder.lock("saved.json")
        defer { lock.release() }
        var regions = try folder.savedRegions()
        if let index = regions.firstIndex(where: { $0.identifier == region.identifier }) {
            regions[index] = region
        } else {
            if let limit = try limit.value(), regions.count >= limit {
                throw Failure.usage(
                    "\(limit) regions are saved already, which is the limit; remove one, or raise it (--max-regions)")
            }
            regions.append(region)
        }
        try folder.save(regions)
        SavedRegionOutput("added", region).tell(asJSON: json)
    }

    private func entry() throws -> RegionList.Entry {
        if minor != nil, major == nil { throw Failure.usage("--minor belongs to a major number; give --major too") }
        func duration(_ option: String, _ text: String?) throws -> Duration? {
            try text.map { text in try named(option) { () throws(ValueFault) in try ValueText.duration(text) } }
        }
        func message(_ option: String, _ text: String?) throws -> String? {
            try text.map { text in try named(option) { () throws(ValueFault) in try ValueText.message(text) } }
        }
        func number(_ option: String, _ text: String?) throws -> UInt16? {
            try text.map { text in try named(option) { () throws(ValueFault) in try ValueText.unsigned16(text) } }
        }
        return RegionList.Entry(
            identifier: try named("the region's name") { () throws(ValueFault) in try ValueText.label(identifier) },
            uuid: try named("--uuid") { () throws(ValueFault) in try ValueText.uuid(uuid) },
            major: try number("--major", major), minor: try number("--minor", minor),
            hello: try message("--hello", hello), goodbye: try message("--goodbye", goodbye),
            atMostOncePer: try duration("--at-most-once-per", atMostOncePer),
            exitAfter: try duration("--exit-after", exitAfter))
    }
}

/// `beaconry monitor remove`
struct MonitorRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take a region off the saved list.",
        discussion: "Example: beaconry monitor remove shop")

    @Argument(help: "The region's name.") var identifier: String
    @OptionGroup var folder: MonitorFolderOption
    @Flag(help: "One JSON object a line on standard output.") var json = false

    func run() throws {
        let folder = folder.folder
        let lock = try folder.lock("saved.json")
        defer { lock.release() }
        let regions = try folder.savedRegions()
        guard let region = regions.first(where: { $0.identifier == identifier }) else {
            throw Failure.usage("no region \"\(identifier)\" is saved; beaconry monitor list shows those that are")
        }
        try folder.save(regions.filter { $0 != region })
        SavedRegionOutput("removed", region).tell(asJSON: json)
    }
}

/// `beaconry monitor list`
struct MonitorList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the saved list.", discussion: "Example: beaconry monitor list --json")

    @OptionGroup var folder: MonitorFolderOption
    @Flag(help: "One JSON object a line on standard output.") var json = false

    func run() throws {
        let folder = folder.folder
        let states = try folder.states(of: MonitorFolder.savedList)
        for region in try folder.savedRegions() {
            let state = states.first { $0.identifier == region.identifier && $0.uuid == region.uuid }
            SavedRegionOutput("saved", region, state: state?.state).tell(asJSON: json)
        }
    }
}
