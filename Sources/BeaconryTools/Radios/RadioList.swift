// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio

/// `radios`: lists the radios and their capabilities.
package enum RadiosTool {
    /// Prints the radios of all drivers and the rights of this process.
    /// - Throws: `RadioError` when the radios of a driver could not be listed.
    package static func run(as format: OutputFormat) async throws {
        var surveys: [RadioSurvey] = []
        for driver in RadioDrivers.all { surveys.append(await driver.survey()) }
        for radio in surveys.flatMap(\.radios) { Output.report(RadioReport(radio), as: format) }
        let rights = surveys.flatMap(\.rights)
        if !rights.isEmpty { Output.report(RightsReport(rights), as: format) }
        for note in surveys.flatMap(\.notes) { Output.note(note) }
        if format == .text { for advice in surveys.flatMap(\.advice) { Output.note(advice) } }
        for case let failure? in surveys.map(\.failure) { throw failure }
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
    /// The version of bluetoothd; absent if unknown.
    private let bluetoothd: String?
    private let summary: String

    private enum CodingKeys: CodingKey {
        case radio, address, powered, blocked, advertising, instances, freeInstances, canSetTxPower, bluetoothd
    }

    init(_ entry: RadioSurvey.Entry) {
        radio = entry.name
        address = entry.address?.description
        powered = entry.isPowered
        blocked = entry.block
        advertising = entry.advertising.rawValue
        instances = entry.instances?.total
        freeInstances = entry.instances?.free
        canSetTxPower = entry.canSetTransmitPower
        bluetoothd = entry.daemonVersion
        summary = entry.summary
    }

    var lines: [String] { ["\(radio)  \(summary)"] }
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
