// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Emulator
package import Profiles
import Radio
import Receiving

/// `manage`: configures IoT Design Shop beacons over GATT, as their app does.
package struct ManageTool: Sendable {
    private let listening: Listening
    private let timeout: Duration
    private let retries: Int
    private let format: OutputFormat

    /// - Parameters:
    ///   - timeout: the time limit of each step.
    ///   - retries: the number of further attempts when a beacon does not answer.
    package init(_ listening: Listening, timeout: Duration, retries: Int, format: OutputFormat) {
        self.listening = listening
        self.timeout = timeout
        self.retries = retries
        self.format = format
    }

    /// Prints the settings of a beacon.
    package func show(_ beacon: String) async throws {
        let target = BeaconConfigurator.Target(beacon)
        let outcome = try await run { try await $0.read(target) }
        Output.report(ManageRecord("settings", outcome), as: format)
    }

    /// Writes settings of a beacon.
    package func set(_ settings: ConfigurationPlan.Settings, of beacon: String) async throws {
        warn(settings, of: beacon)
        let target = BeaconConfigurator.Target(beacon)
        let change = SettingsChange(settings)
        let outcome = try await run { try await $0.configure(target, change) }
        Output.report(ManageRecord(outcome), as: format)
    }

    /// Configures the beacons of a plan, one after the other.
    /// - Throws: `Failure.unmetExpectation` when a beacon failed.
    package func apply(_ plan: ConfigurationPlan) async throws {
        let entries = plan.entries
        for entry in entries { warn(entry.settings, of: entry.beacon) }
        let format = format
        let records = try await run { configurator in
            var records: [ManageRecord] = []
            for entry in entries {
                let target = BeaconConfigurator.Target(entry.beacon)
                let record: ManageRecord
                do throws(CentralError) {
                    record = ManageRecord(try await configurator.configure(target, SettingsChange(entry.settings)))
                } catch {
                    // An error of the radio affects all beacons that follow.
                    if case .radio(let reason) = error.reason, reason.code != .refused { throw error }
                    if case .cancelled = error.reason { throw error }
                    record = ManageRecord(error, target)
                }
                if format == .json { Output.report(record, as: format) }
                records.append(record)
            }
            return records
        }
        let summary = ManageSummary(records)
        Output.report(summary, as: format)
        if summary.failed > 0 { throw Failure.unmetExpectation }
    }

    /// Prints the configurable beacons that are received until the end of the listening.
    package static func list(on listening: Listening, as format: OutputFormat) async throws {
        try await listening.run { radio, _ in
            var table = AdvertiserTable<RemoteAddress>()
            let filter = ScanFilter(services: [IoTDesignShopService.uuid])
            for await case .received(let sighting, let time) in try await radio.receptions(every: .seconds(1)) {
                _ = table.take(sighting, at: time)
            }
            let beacons = table.advertisers.filter { filter.accepts($0) }
            for beacon in beacons { Output.report(ListedBeacon(beacon), as: format) }
            if beacons.isEmpty { Output.note("no configurable beacon was received") }
        }.check()
    }

    private func run<Result: Sendable>(
        _ work: @escaping @Sendable (BeaconConfigurator) async throws -> Result
    ) async throws -> Result {
        let (timeout, retries) = (timeout, retries)
        let (ending, result) = try await listening.result { radio, _ in
            let central = Central(radio: radio)
            try await central.open()
            let configurator = BeaconConfigurator(central, timeout: timeout, attempts: retries + 1) { target, step in
                Output.note("\(target): \(Self.text(step))")
            }
            do {
                let result = try await work(configurator)
                await central.close()
                return result
            } catch {
                await central.close()
                throw error
            }
        }
        if let result { return result }
        try ending.check()
        throw Failure(exitCode: 1, message: "stopped before its end")
    }

    private static func text(_ step: BeaconConfigurator.Step) -> String {
        switch step {
        case .searching: "waiting for its advertisements"
        case .connecting: "connecting"
        case .reading: "reading its settings"
        case .writing: "writing changed settings and reading them back"
        case .retrying(let error): "\(error.message); trying again"
        }
    }

    /// Warns of a setting that the beacon stores but radios cannot use.
    private func warn(_ settings: ConfigurationPlan.Settings, of beacon: String) {
        guard let interval = settings.interval, !AdvertisingInterval.legacyRange.contains(interval) else { return }
        let notice = Notice(
            code: "interval-out-of-range",
            message: "\(beacon) stores \(interval.count) ticks, but radios send every 32 to 16384 ticks",
            hint: "write an interval of 20ms to 10240ms")
        Output.report(notice, as: format)
    }
}

extension SettingsChange {
    /// The change that a plan describes.
    fileprivate init(_ settings: ConfigurationPlan.Settings) {
        self.init(
            uuid: settings.uuid, major: settings.major, minor: settings.minor,
            powerCode: settings.transmitPower.flatMap(IoTDesignShopService.TransmitSettings.powerCode),
            interval: settings.interval)
    }
}

/// The settings of one beacon, or the result of changing them.
struct ManageRecord: Encodable, Sendable, Report {
    /// One setting that was changed.
    struct Change: Encodable, Sendable {
        let setting: String
        let from: String
        let to: String
    }

    /// A beacon's settings.
    struct Settings: Encodable, Sendable {
        let uuid: String
        let major: UInt16
        let minor: UInt16
        let powerCode: UInt16
        /// In dBm; absent for a code without a power.
        let txPower: Int8?
        let intervalTicks: UInt32
    }

    /// settings, changed, unchanged or failed.
    let event: String
    /// The address, or the requested name or address if the beacon was not found.
    let beacon: String
    private(set) var name: String?
    /// The current settings.
    private var settings: Settings?
    private var changes: [Change]?
    /// Why it failed: a stable code, a sentence and a hint.
    private var code: String?
    private var message: String?
    private var hint: String?

    /// The settings of a beacon and their changes.
    init(_ outcome: BeaconConfigurator.Outcome) {
        self.init(outcome.before == outcome.after ? "unchanged" : "changed", outcome)
        changes = Self.changes(outcome.before, outcome.after)
    }

    /// The settings of a beacon.
    init(_ event: String, _ outcome: BeaconConfigurator.Outcome) {
        self.event = event
        beacon = outcome.device.address.description
        name = outcome.name
        let after = outcome.after
        settings = Settings(
            uuid: after.uuid.description, major: after.numbers.major, minor: after.numbers.minor,
            powerCode: after.transmit.powerCode, txPower: after.transmit.transmitPower?.decibelMilliwatts,
            intervalTicks: after.transmit.interval.count)
    }

    /// A failure.
    init(_ error: CentralError, _ target: BeaconConfigurator.Target) {
        event = "failed"
        beacon = target.description
        code = error.code
        message = error.message
        hint = error.hint
    }

    private static func changes(
        _ before: IoTDesignShopClient.Settings, _ after: IoTDesignShopClient.Settings
    ) -> [Change] {
        zip(values(before), values(after)).compactMap { old, new in
            old.value == new.value ? nil : Change(setting: old.name, from: old.value, to: new.value)
        }
    }

    private static func values(_ settings: IoTDesignShopClient.Settings) -> [(name: String, value: String)] {
        let transmit = settings.transmit
        return [
            ("uuid", settings.uuid.description), ("major", "\(settings.numbers.major)"),
            ("minor", "\(settings.numbers.minor)"),
            ("tx-power", transmit.transmitPower.map { "\($0)" } ?? "code \(transmit.powerCode)"),
            ("interval", "\(transmit.interval)"),
        ]
    }

    var lines: [String] {
        let title = Formatting.row([beacon, name, event == "settings" ? nil : event])
        let details: [String]
        if event == "settings", let settings {
            let power = settings.txPower.map { "\($0) dBm" } ?? "none"
            details = [
                "uuid: \(settings.uuid)", "major: \(settings.major)", "minor: \(settings.minor)",
                "tx-power: \(power) (code \(settings.powerCode))",
                "interval: \(AdvertisingInterval(settings.intervalTicks)) (\(settings.intervalTicks) ticks)",
            ]
        } else {
            details = (changes ?? []).map { "\($0.setting): \($0.from) -> \($0.to)" }
        }
        return [title] + details.map { "  " + $0 }
    }

    /// The changes, or the reason of the failure, on one line.
    var summary: String {
        if let message { return [message, hint ?? ""].joined(separator: "; ") }
        return (changes ?? []).map { "\($0.setting) \($0.from) -> \($0.to)" }.joined(separator: ", ")
    }
}

/// The result of a plan. Its text has a line for each beacon; as JSON, they were reported one by one.
struct ManageSummary: Encodable, Report {
    private let event = "applied"
    let changed: Int
    let unchanged: Int
    let failed: Int
    private let records: [ManageRecord]

    private enum CodingKeys: CodingKey {
        case event, changed, unchanged, failed
    }

    init(_ records: [ManageRecord]) {
        func count(_ event: String) -> Int { records.count { $0.event == event } }
        changed = count("changed")
        unchanged = count("unchanged")
        failed = count("failed")
        self.records = records
    }

    var lines: [String] {
        let rows = records.map { [$0.beacon, $0.name ?? "", $0.event, $0.summary] }
        return TextTable(rows: [["BEACON", "NAME", "RESULT", "DETAILS"]] + rows).lines
            + ["\(changed) changed, \(unchanged) unchanged, \(failed) failed"]
    }
}

/// A configurable beacon that was received.
private struct ListedBeacon: Encodable, Report {
    private let event = "beacon"
    private let address: String
    private let addressType: String
    private let name: String?
    /// In dBm; absent when the radio does not know.
    private let rssi: Int8?
    private let uuid: String?
    private let major: UInt16?
    private let minor: UInt16?
    private let measuredPower: Int8?

    init(_ advertiser: Advertiser<RemoteAddress>) {
        address = advertiser.source.address.description
        addressType = advertiser.source.isRandom ? "random" : "public"
        name = advertiser.localName
        rssi = advertiser.lastRSSI?.decibelMilliwatts
        let frame = (advertiser.advertisingData.iBeacons + advertiser.scanResponse.iBeacons).first
        uuid = frame?.uuid.description
        major = frame?.major
        minor = frame?.minor
        measuredPower = frame?.measuredPower.decibelMilliwatts
    }

    /// The name that the beacons' own app gives them comes first.
    var lines: [String] {
        [
            Formatting.row([
                "IoT DS Beacon (\(address))", name, rssi.map { "\($0) dBm" }, uuid, major.map { "major \($0)" },
                minor.map { "minor \($0)" },
            ])
        ]
    }
}
