// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import Profiles

/// `beaconry manage`
struct Manage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Configure IoT Design Shop beacons, as their app does.",
        discussion: """
            Example: beaconry manage set C0:FF:EE:00:00:01 --major 7 --interval 200ms

            A beacon is named by its address, or by the name that it advertises, in which capitals count. Exit codes: 69 the radio, 74 the beacon \
            does not answer or refuses, 1 not all beacons of a plan are as it says.
            """,
        subcommands: [ManageList.self, ManageShow.self, ManageSet.self, ManageApply.self])
}

/// What all `manage` commands have.
struct ManageOptions: ParsableArguments {
    @Option(help: "How long each step may take: to be heard, to connect, to read a value.")
    var timeout = "10s"

    @Option(help: "How often a beacon is tried again when it does not answer.")
    var retry = "2"

    @OptionGroup var listening: ListeningOptions

    /// Does something with a configurator, and gives what came of it.
    /// - Throws: `Failure` when a signal came before its end, and what the work throws.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (BeaconConfigurator) async throws -> Result
    ) async throws -> Result {
        guard let retries = Int(retry), 0...100 ~= retries else {
            throw Failure.usage("--retry: \"\(retry)\" is not a whole number from 0 to 100")
        }
        let timeout = try named("--timeout") { () throws(ValueFault) in try ValueText.duration(self.timeout) }
        let (results, result) = AsyncStream.makeStream(of: Result.self)
        let ending = try await Listening(listening).run { radio, _ in
            let central = Central(radio: radio)
            try await central.open()
            let configurator = BeaconConfigurator(central, timeout: timeout, attempts: retries + 1) { target, step in
                Output.note(ManageText.words(step, target))
            }
            do {
                result.yield(try await work(configurator))
                await central.close()
            } catch {
                await central.close()
                throw error
            }
        }
        result.finish()
        for await found in results { return found }
        try ending.check()
        throw Failure(exitCode: 1, message: "stopped before its end")
    }
}

/// `beaconry manage show`
struct ManageShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Connect to a beacon and read its settings.",
        discussion: "Example: beaconry manage show C0:FF:EE:00:00:01 --json")

    @Argument(help: "The beacon's address or name.") var beacon: String
    @OptionGroup var options: ManageOptions

    func run() async throws {
        let target = BeaconConfigurator.Target(beacon)
        let outcome = try await options.run { try await $0.read(target) }
        ManageRecord("settings", outcome).tell(asJSON: options.listening.isJSON)
    }
}

/// `beaconry manage set`
struct ManageSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Write settings of a beacon and read them back.",
        discussion: """
            Example: beaconry manage set Entrance --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --minor 3 --tx-power -6

            What is so already is not written.
            """)

    @Argument(help: "The beacon's address or name.") var beacon: String
    @Option(help: "The proximity UUID.") var uuid: String?
    @Option(parsing: .unconditional, help: "The major number.") var major: String?
    @Option(parsing: .unconditional, help: "The minor number.") var minor: String?
    @Option(parsing: .unconditional, help: "The radiated power: 0, -6 or -23 dBm.") var txPower: String?
    @Option(help: "The advertising interval: 100ms, or 160ticks.") var interval: String?
    @OptionGroup var options: ManageOptions

    func run() async throws {
        let settings = try settings()
        guard !settings.isEmpty else {
            throw Failure.usage("no setting is given; write --uuid, --major, --minor, --tx-power or --interval")
        }
        ManageText.warn(of: settings, beacon, asJSON: options.listening.isJSON)
        let target = BeaconConfigurator.Target(beacon)
        let change = SettingsChange(settings)
        let outcome = try await options.run { try await $0.configure(target, change) }
        ManageRecord(outcome).tell(asJSON: options.listening.isJSON)
    }

    private func settings() throws -> ConfigurationPlan.Settings {
        ConfigurationPlan.Settings(
            uuid: try uuid.map { text in try named("--uuid") { () throws(ValueFault) in try ValueText.uuid(text) } },
            major: try major.map { text in
                try named("--major") { () throws(ValueFault) in try ValueText.unsigned16(text) }
            },
            minor: try minor.map { text in
                try named("--minor") { () throws(ValueFault) in try ValueText.unsigned16(text) }
            },
            transmitPower: try txPower.map { text in
                try named("--tx-power") { () throws(ValueFault) in try ValueText.hardwarePower(text) }
            },
            interval: try interval.map { text in
                try named("--interval") { () throws(ValueFault) in try ValueText.storedInterval(text) }
            })
    }
}

extension SettingsChange {
    /// Settings of a plan.
    init(_ settings: ConfigurationPlan.Settings) {
        self.init(
            uuid: settings.uuid, major: settings.major, minor: settings.minor,
            powerCode: settings.transmitPower.flatMap(IoTDesignShopService.TransmitSettings.powerCode),
            interval: settings.interval)
    }
}
