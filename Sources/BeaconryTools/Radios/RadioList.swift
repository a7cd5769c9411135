// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BlueZRadio
import Bluetooth
import Emulator
import JSON
import Persistence
import Profiles
import Radio

/// `radios`: lists the radios and their capabilities.
package enum RadiosTool {
    /// Prints the radios of all drivers, the rights of this process, and what the adapters mean for profiles.
    /// - Parameter paths: the profiles; empty for none.
    /// - Throws: `ProfileFaults`, or `RadioError` when the radios of a driver could not be listed.
    package static func run(_ paths: [String] = [], as format: OutputFormat) async throws {
        let ledger = Folders.ledger()
        defer { ledger.close() }
        let lint = try paths.isEmpty ? nil : ProfileLint(ProfileFiles.load(paths))
        var surveys: [RadioSurvey] = []
        for driver in RadioDrivers.all { surveys.append(await driver.survey(ledger)) }
        let facts = await MachineFacts.read()
        for radio in surveys.flatMap(\.radios) {
            Output.report(RadioReport(radio, facts.adapter(ofRadio: radio.name), in: facts), as: format)
        }
        let rights = surveys.flatMap(\.rights)
        if !rights.isEmpty { Output.report(RightsReport(rights), as: format) }
        for note in surveys.flatMap(\.notes) { Output.note(note) }
        if format == .text { for advice in surveys.flatMap(\.advice) { Output.note(advice) } }
        if let lint { await compare(lint, with: surveys.flatMap(\.radios), facts, as: format) }
        for case let failure? in surveys.map(\.failure) { throw failure }
    }

    /// Removes what killed runs have left on the adapters, and prints what that was.
    /// - Throws: `RadioError` when the adapters cannot be listed, or without CAP_NET_ADMIN.
    package static func clean(as format: OutputFormat) async throws {
        let ledger = Folders.ledger()
        defer { ledger.close() }
        let leftovers = try await LeftoverInstances.all(ledger)
        for adapter in leftovers {
            Output.report(CleanReport(radio: adapter.adapter, removed: try await adapter.remove(ledger)), as: format)
        }
        if leftovers.isEmpty, format == .text { Output.note("no run has left an advertisement on an adapter") }
    }

    /// Prints what each adapter would do with beacons.
    private static func compare(
        _ lint: ProfileLint, with radios: [RadioSurvey.Entry], _ facts: MachineFacts, as format: OutputFormat
    ) async {
        for radio in radios {
            guard let adapter = facts.adapter(ofRadio: radio.name) else { continue }
            let forecast: RadioForecast
            do {
                forecast = try await RadioDrivers.radio(named: radio.name, waits: false).forecast(lint.plans)
            } catch {
                // One that is off or blocked is judged by what is known of it.
                guard let known = facts.knownAdapter(of: adapter) else {
                    Output.note("\(radio.name): \(error)")
                    continue
                }
                forecast = AssumedAdapter(known).forecast(lint.plans)
            }
            Output.report(
                FitReport(radio: radio.name, beacons: lint.plans.count, fitting: forecast.fitting), as: format)
            let findings = lint.findings(on: forecast)
            switch format {
            case .text: Output.lines(FindingGroups.lines(findings))
            case .json: for finding in findings { Output.line(JSONLine.encode(finding)) }
            }
        }
    }
}

extension MachineFacts {
    /// The adapter of a radio's name; `nil` for other radios.
    fileprivate func adapter(ofRadio name: String) -> Adapter? {
        let scheme = "\(BlueZDriver.scheme):"
        return name.hasPrefix(scheme) ? adapters.first { scheme + $0.name == name } : nil
    }
}

/// A radio.
private struct RadioReport: Encodable, Report {
    private let radio: String
    private let address: String?
    private let powered: Bool?
    /// How rfkill blocks it; absent if it does not.
    private let blocked: String?
    /// none, legacy or extended.
    private let advertising: String
    private let instances: Int?
    private let freeInstances: Int?
    private let canSetTxPower: Bool?
    /// The range of the transmit power that it reports, in dBm; absent if it reports none, or one that is not in dBm.
    private let txPowerRange: [Int]?
    /// The version of bluetoothd; absent if unknown.
    private let bluetoothd: String?
    /// The name of the known adapter that it is, and what it is; absent if it is none.
    private let known: String?
    private let chip: String?
    /// `VENDOR:PRODUCT`; absent for other adapters.
    private let usb: String?
    /// The version of HCI, such as 9 for 5.0; absent if unknown.
    private let hciVersion: UInt8?
    /// What one must know of this adapter; absent if that is nothing.
    private let peculiarities: [String]?
    private let summary: String
    private let versionText: String?

    private enum CodingKeys: CodingKey {
        case radio, address, powered, blocked, advertising, instances, freeInstances, canSetTxPower, txPowerRange,
            bluetoothd, known, chip, usb, hciVersion, peculiarities
    }

    init(_ entry: RadioSurvey.Entry, _ adapter: MachineFacts.Adapter?, in facts: MachineFacts) {
        radio = entry.name
        address = entry.address?.description
        powered = entry.isPowered
        blocked = entry.block
        advertising = entry.advertising.rawValue
        instances = entry.instances?.total
        freeInstances = entry.instances?.free
        canSetTxPower = entry.canSetTransmitPower
        txPowerRange = adapter?.plausibleTransmitPower
        bluetoothd = entry.daemonVersion
        summary = entry.summary
        let found = adapter.flatMap(facts.knownAdapter)
        known = found?.name
        chip = found?.title
        usb = adapter?.identity.usb?.identifier
        hciVersion = adapter?.identity.version
        let sentences = adapter.map { MachineCheck.peculiarities(of: $0, facts) } ?? []
        peculiarities = sentences.isEmpty ? nil : sentences
        versionText = adapter?.identity.versionText
    }

    var lines: [String] {
        let parts = [chip ?? usb.map { "USB \($0)" }, versionText, txPowerRange.map { "\($0[0]) to \($0[1]) dBm" }]
            .compactMap(\.self)
        let identity = parts.isEmpty ? [] : ["  \(parts.joined(separator: ", "))"]
        return ["\(radio)  \(summary)"] + identity + (peculiarities ?? []).map { "  note: \($0)" }
    }
}

/// What `--clean` has removed from an adapter.
private struct CleanReport: Encodable, Report {
    private let radio: String
    private let removed: Int

    init(radio: String, removed: Int) {
        self.radio = "\(BlueZDriver.scheme):\(radio)"
        self.removed = removed
    }

    var lines: [String] { ["\(radio)  \(Formatting.count(removed, "advertisement")) removed"] }
}

/// The rights of this process.
private struct RightsReport: Report {
    let json: [String: Bool]
    let lines: [String]

    init(_ rights: [RadioSurvey.Right]) {
        json = Dictionary(rights.map { ($0.key, $0.isGranted) }) { _, last in last }
        lines = rights.map { "rights: \($0.summary)" }
    }
}
