// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Emulator
import JSON
import Profiles
import Receiving
import RunAPI

/// The options that describe a receiver that scans within the run.
struct ListenerOptions: ParsableArguments {
    @Option(
        help: "The phone that it receives like: \(PhoneModel.names.joined(separator: ", ")).",
        transform: ValueText.phone)
    var phone: PhoneModel?

    @Option(help: "The receiving time in each interval of its scan, such as 30ms.", transform: ValueText.interval)
    var window: AdvertisingInterval?

    @Option(help: "The time from one window of its scan to the next, such as 40ms.", transform: ValueText.interval)
    var interval: AdvertisingInterval?

    @Flag(inversion: .prefixedNo, help: "Whether it sends scan requests.")
    var active: Bool?

    @Option(help: "The state of its screen: on or off.", transform: { try ValueText.choice($0, of: Screen.self) })
    var screen: Screen?

    @Option(help: "The handset of its phone, see docs/phones.md (default: any). --phone must have its system.")
    var handset: String?

    @Option(
        help: "Whether its Bluetooth is on: on or off.",
        transform: { try ValueText.choice($0, of: PhoneBluetooth.self) })
    var bluetooth: PhoneBluetooth?

    @Option(
        help: "Whether its user permits the app to find beacons: granted or denied.",
        transform: { try ValueText.choice($0, of: PhonePermission.self) })
    var permission: PhonePermission?

    @Option(
        help: """
            What estimates its place among the beacons: \(PlaceEstimator.Kind.allCases.map(\.rawValue).joined(separator: ", ")), or \
            off.
            """,
        transform: ListenerChange.EstimatorChange.init)
    var estimator: ListenerChange.EstimatorChange?

    @OptionGroup var traits: ReceiverTraitOptions

    /// The change with these options.
    /// - Throws: `Failure` for a handset that there is not, or one of another system.
    func change() throws -> ListenerChange {
        var change = ListenerChange()
        change.phone = phone
        if let handset {
            do throws(ValueFault) {
                change.phone = try PhoneModel(preset: (phone ?? .exact).name, handset: handset)
            } catch {
                throw Failure.usage("--handset: \(error.message)")
            }
        }
        change.screen = screen
        change.bluetooth = bluetooth
        change.permission = permission
        change.estimator = estimator
        change.traits = try traits.value()
        if window != nil || interval != nil || active != nil {
            var scan = ListenerChange.ScanChange()
            (scan.window, scan.interval, scan.isActive) = (window, interval, active)
            change.scan = scan
        }
        return change
    }
}

/// The options of the hardware of a receiver, one for each `ReceiverKey`.
struct ReceiverTraitOptions: ParsableArguments {
    enum List: OptionList {
        static let options = ReceiverKey.all.map { key in
            DeclaredOption(
                name: key.name, help: "The hardware of the receiver: \(key.meaning), such as \(key.example)."
            ) { text in
                var traits = ReceiverTraits()
                try key.set(text, in: &traits)
            }
        }
    }

    @OptionGroup var keys: DeclaredOptions<List>

    /// What was given.
    func value() throws -> ReceiverTraits {
        var traits = ReceiverTraits()
        for key in ReceiverKey.all {
            if let text = keys.texts[key.name] { try key.set(text, in: &traits) }
        }
        return traits
    }
}

/// `beaconry ctl receiver listen`
struct ControlReceiverListen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Add a receiver that scans within the run, as a phone does.",
        discussion: """
            Example: beaconry ctl receiver listen phone 9 0 --phone altbeacon

            A receiver of this name gets these settings instead of its own; its regions stay.
            """)
    @Argument(help: "The receiver's name.") var name: String
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "X, Y and, if not 0, the height in metres (default: 1 m from every beacon).", valueName: "metres"))
    var metres: [String] = []
    @OptionGroup var listener: ListenerOptions
    @OptionGroup var options: ControlOptions

    func run() async throws {
        var put = PutReceiver()
        put.receiver = try NewName(json: .text(name))
        put.change = try listener.change()
        put.change.position = metres.isEmpty ? nil : try PositionArgument.parse(metres.joined(separator: ","))
        try await options.tool.perform(put) { LinkText.listListeners([$0]) }
    }
}

/// `beaconry ctl receiver change`
struct ControlReceiverChange: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Change a receiver that scans within the run, or the hardware of another one.",
        discussion: "Example: beaconry ctl receiver change phone --screen off")
    @Argument(help: "The receiver's name.") var name: String
    @Flag(inversion: .prefixedNo, help: "Whether its app scans.") var listening: Bool?
    @OptionGroup var listener: ListenerOptions
    @OptionGroup var options: ControlOptions

    func run() async throws {
        var change = ChangeReceiver()
        change.receiver = AirName(name)
        change.change = try listener.change()
        change.change.isListening = listening
        try await options.tool.perform(change) {
            $0.phone == nil ? LinkText.listServers([$0]) : LinkText.listListeners([$0])
        }
    }
}

/// `beaconry ctl receiver beacons`
struct ControlReceiverBeacons: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacons", abstract: "Show the beacons that a receiver ranges, the nearest first.",
        discussion: "Example: beaconry ctl receiver beacons phone")
    @Argument(help: "The receiver's name.") var name: String
    @OptionGroup var options: ControlOptions

    func run() async throws {
        try await options.tool.perform(ShowRanging { $0.receiver = AirName(name) }, lines: LinkText.list)
    }
}

/// `beaconry ctl receiver regions`
struct ControlReceiverRegions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions", abstract: "Show the regions that a receiver monitors, with their states.",
        discussion: "Example: beaconry ctl receiver regions phone")
    @Argument(help: "The receiver's name.") var name: String
    @OptionGroup var options: ControlOptions

    func run() async throws {
        try await options.tool.perform(ListRegions { $0.receiver = AirName(name) }, list: LinkText.list)
    }
}

/// `beaconry ctl receiver monitor`
struct ControlReceiverMonitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Have a receiver monitor a region.",
        discussion: """
            Example: beaconry ctl receiver monitor phone shop --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0
            """)
    @Argument(help: "The receiver's name.") var name: String
    @Argument(help: "The name of the region.") var region: String
    @OptionGroup var identifiers: RegionOptions
    @Option(
        help: "Time without a packet after which the region is left, such as 10s (default: the time of the phone).",
        transform: ValueText.duration)
    var exitAfter: Duration?
    @Flag(help: "Report the state again when the screen comes on inside the region.")
    var notifyOnDisplay = false
    @OptionGroup var options: ControlOptions

    func run() async throws {
        var put = PutRegion()
        put.receiver = AirName(name)
        put.region = try RegionName(json: .text(region))
        let given = IdentifierRecord(try identifiers.identifiers())
        (put.uuid, put.major, put.minor) = (identifiers.uuid, given.major, given.minor)
        (put.namespace, put.instance, put.exitAfter) = (given.namespace, given.instance, exitAfter)
        put.notifiesOnDisplay = notifyOnDisplay ? true : nil
        try await options.tool.perform(put) { LinkText.list([$0]) }
    }
}

/// `beaconry ctl receiver unmonitor`
struct ControlReceiverUnmonitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmonitor", abstract: "End the monitoring of a region.",
        discussion: "Example: beaconry ctl receiver unmonitor phone shop")
    @Argument(help: "The receiver's name.") var name: String
    @Argument(help: "The name of the region.") var region: String
    @OptionGroup var options: ControlOptions

    func run() async throws {
        var remove = RemoveRegion()
        remove.receiver = AirName(name)
        remove.region = try RegionName(json: .text(region))
        try await options.tool.perform(remove)
    }
}

/// `beaconry ctl receiver follow`
struct ControlReceiverFollow: AsyncParsableCommand {
    /// What is followed.
    enum Stream: String, CaseIterable, ExpressibleByArgument {
        case advertisements, ranging, monitoring
    }

    static let configuration = CommandConfiguration(
        commandName: "follow", abstract: "Print what a receiver receives and reports, as JSON, until the run ends.",
        discussion: "Example: beaconry ctl receiver follow phone ranging")
    @Argument(help: "The receiver's name.") var name: String
    @Argument(help: "advertisements (each packet), ranging (once a second), or monitoring (regions).") var stream:
        Stream
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let tool = options.tool
        switch stream {
        case .advertisements: try await tool.printRecords(FollowAdvertisements { $0.receiver = AirName(name) })
        case .ranging: try await tool.printRecords(FollowRanging { $0.receiver = AirName(name) })
        case .monitoring: try await tool.printRecords(FollowMonitoring { $0.receiver = AirName(name) })
        }
    }
}
