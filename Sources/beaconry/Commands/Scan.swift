// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryTools
import Bluetooth
import Radio
import Receiving

/// `beaconry scan`
struct Scan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "List advertising devices.",
        discussion: """
            Example: beaconry scan --formats ibeacon --min-rssi -70 --duration 10s

            Prints a table on a terminal; otherwise a line, or with --json an object, for every device with news. \
            Advertising data and scan response of a device count together.
            """)

    @Option(
        parsing: .upToNextOption, help: "Only devices that advertise one of these services: 180F, or 128 bits.",
        transform: OptionValue.service)
    var services: [BluetoothUUID] = []

    private static let formatNames = (BeaconFormats.names + ["eddystone"]).joined(separator: ", ")

    @Option(help: "Only beacons of these formats, separated by commas: \(formatNames).")
    var formats: String?

    @Option(parsing: .unconditional, help: "Minimum RSSI in dBm.", transform: OptionValue.rssi)
    var minRSSI: RSSI?

    @Option(help: "Only devices whose name contains this text.")
    var name: String?

    @Flag(help: "Print every advertisement, not only news.")
    var duplicates = false

    @Flag(help: "Scan passively, without scan requests.")
    var passive = false

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        var limits: Set<ReceivingCapabilities.Limit.Subject> = [.exactData, .pdu]
        if duplicates { limits.insert(.duplicates) }
        let listening = try options.listening(duration: try time.value(), limits: limits, isPassive: passive)
        try await Scanning.run(
            on: listening, ScanParameters(isActive: !passive), filter: try filter(), printsAll: duplicates,
            format: options.format)
    }

    private func filter() throws -> ScanFilter {
        var filter = ScanFilter(name: name)
        filter.services = Set(services)
        filter.minimumRSSI = minRSSI
        for text in (formats ?? "").split(separator: ",").map({ String($0) }) {
            let formats = BeaconFormats.named(text)
            guard !formats.isEmpty else {
                throw Failure.usage("--formats: there is no format \"\(text)\"; formats are \(Self.formatNames)")
            }
            filter.formats += formats
        }
        return filter
    }
}
