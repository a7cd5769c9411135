// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryCentral
import Bluetooth
import BluetoothCore
import Emulator
import Profiles
import Radio
import Receiving

/// `beaconry scan`
struct Scan: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "List advertising devices.",
        discussion: """
            Example: beaconry scan --formats ibeacon --min-rssi -70 --duration 10s

            Prints a table on a terminal; otherwise a line, or with --json an object, for everything that is new. \
            Advertising data and scan response of a device count together.
            """)

    @Option(parsing: .upToNextOption, help: "Only devices that advertise one of these services: 180F, or 128 bits.")
    var services: [String] = []

    private static let formatNames = (BeaconFormat.allCases.map(\.rawValue) + ["eddystone"]).joined(separator: ", ")

    @Option(help: "Only beacons of these formats, separated by commas: \(formatNames).")
    var formats: String?

    @Option(parsing: .unconditional, help: "Minimum RSSI in dBm.")
    var minRSSI: String?

    @Option(help: "Only devices whose name contains this text.")
    var name: String?

    @Flag(help: "Print every advertisement, not only what is new.")
    var duplicates = false

    @Flag(help: "Scan passively, without scan requests.")
    var passive = false

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    var writesJSON: Bool { options.isJSON }

    func run() async throws {
        let filter = try filter()
        var limits: Set<ReceivingCapabilities.Limit.Subject> = [.exactData, .pdu]
        if duplicates { limits.insert(.duplicates) }
        if passive { limits.insert(.passiveScanning) }
        let listening = try Listening(options, duration: try time.value(), limits: limits)
        let settings = ScanParameters(isActive: !passive)
        let format: ScanOutput.Format = options.isJSON ? .json : Terminal.isPossible ? .table : .lines
        let output = ScanOutput(filter: filter, tellsAll: duplicates, format: format)
        try await listening.run { radio, capabilities in
            var output = output
            output.radio = capabilities.name
            for await reception in try await radio.receptions(settings, every: .milliseconds(250)) {
                output.take(reception)
            }
            output.finish()
        }.check()
    }

    private func filter() throws -> ScanFilter {
        var filter = ScanFilter(name: name)
        for text in services {
            guard let uuid = BluetoothUUID(text) else {
                throw Failure.usage("--services: \"\(text)\" is not a UUID; write 4, 8 or 32 hexadecimal digits")
            }
            filter.services.insert(uuid)
        }
        for text in (formats ?? "").split(separator: ",").map({ String($0) }) {
            let formats = BeaconFormat.formats(named: text)
            guard !formats.isEmpty else {
                throw Failure.usage("--formats: there is no format \"\(text)\"; formats are \(Self.formatNames)")
            }
            filter.formats.formUnion(formats)
        }
        filter.minimumRSSI = try minRSSI.map { text in
            try named("--min-rssi") { () throws(ValueFault) in
                RSSI(try ValueText.measuredPower(text).decibelMilliwatts)
            }
        }
        return filter
    }
}
