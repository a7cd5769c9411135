// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Profiles

/// `beaconry manage`
struct Manage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manage", abstract: "Configure IoT Design Shop beacons, as their app does.",
        discussion: """
            Example: beaconry manage set C0:FF:EE:00:00:01 --major 7 --interval 200ms

            A beacon is named by its address or by its advertised name, which is case-sensitive. Exit codes: 69 the \
            radio, 74 the beacon does not answer or refuses, 1 not all beacons of a plan could be configured.
            """,
        subcommands: [ManageList.self, ManageShow.self, ManageSet.self, ManageApply.self])
}

/// The options of the `manage` commands that connect.
struct ManageOptions: ParsableArguments {
    @Option(help: "Time limit of each step: receiving, connecting, reading a value.", transform: ValueText.duration)
    var timeout = Duration.seconds(10)

    @Option(
        help: "Number of further attempts when a beacon does not answer.",
        transform: OptionValue.wholeNumber(in: 0...100))
    var retry = 2

    @OptionGroup var listening: ListeningOptions

    func tool() throws -> ManageTool {
        ManageTool(try listening.listening(), timeout: timeout, retries: retry, format: listening.format)
    }
}

/// `beaconry manage list`
struct ManageList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the configurable beacons in range.",
        discussion: "Example: beaconry manage list --duration 3s")

    @Option(help: "Time to listen.", transform: ValueText.duration)
    var duration = Duration.seconds(5)

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        try await ManageTool.list(on: try options.listening(duration: duration), as: options.format)
    }
}

/// `beaconry manage show`
struct ManageShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Connect to a beacon and read its settings.",
        discussion: "Example: beaconry manage show C0:FF:EE:00:00:01 --json")

    @Argument(help: "The beacon's address or name.") var beacon: String
    @OptionGroup var options: ManageOptions

    func run() async throws { try await options.tool().show(beacon) }
}

/// `beaconry manage set`
struct ManageSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Write settings of a beacon and read them back.",
        discussion: """
            Example: beaconry manage set Entrance --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --minor 3 --tx-power -6

            Values that already match are not rewritten.
            """)

    @Argument(help: "The beacon's address or name.") var beacon: String
    @Option(help: "Proximity UUID.", transform: ValueText.uuid) var uuid: UUID128?
    @Option(parsing: .unconditional, help: "Major number.", transform: ValueText.unsigned16) var major: UInt16?
    @Option(parsing: .unconditional, help: "Minor number.", transform: ValueText.unsigned16) var minor: UInt16?
    @Option(parsing: .unconditional, help: "Transmit power: 0, -6 or -23 dBm.", transform: ValueText.hardwarePower)
    var txPower: TransmitPower?
    @Option(help: "Advertising interval: 100ms, or 160ticks.", transform: ValueText.storedInterval)
    var interval: AdvertisingInterval?
    @OptionGroup var options: ManageOptions

    func run() async throws {
        let settings = ConfigurationPlan.Settings(
            uuid: uuid, major: major, minor: minor, transmitPower: txPower, interval: interval)
        guard !settings.isEmpty else {
            throw Failure.usage("no setting is given; write --uuid, --major, --minor, --tx-power or --interval")
        }
        try await options.tool().set(settings, of: beacon)
    }
}

/// `beaconry manage apply`
struct ManageApply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Configure the beacons of a plan, one after the other.",
        discussion: """
            Example: beaconry manage apply plan.yaml

            A failed beacon does not stop the others; a table at the end lists changes and failures. Values that already \
            match are not rewritten, so a plan can be applied again safely. Exit code 1 if a beacon failed.
            """)

    @Argument(help: "The plan, in YAML.")
    var plan: String

    @OptionGroup var options: ManageOptions

    func run() async throws {
        let text = try ProfileFiles.text(plan, examples: "docs/receiving.md")
        try await options.tool().apply(try ConfigurationPlan(parsing: text, file: plan))
    }
}
