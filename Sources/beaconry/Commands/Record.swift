// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Radio

/// `beaconry record`
struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record advertisements with timestamps and RSSI.",
        discussion: """
            Example: beaconry record shop.jsonl --duration 30s

            The file has one JSON object a line. It appears when the recording ends, also by Ctrl-C; until then it is \
            FILE.part. beaconry clone makes a profile from it.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @Option(help: "File for a chart of the RSSI, as beaconry plot draws it (default: none).")
    var plot: String?

    @Flag(help: "Replace existing files.")
    var force = false

    @Flag(help: "Scan passively, without scan requests.")
    var passive = false

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        for path in [file, plot].compactMap(\.self) { try Failure.unlessFree(path, force: force) }
        let listening = try options.listening(
            duration: try time.value(), limits: [.pdu, .duplicates, .exactData], isPassive: passive)
        try await RecordTool.run(
            ScanParameters(isActive: !passive), on: listening, to: file, plot: plot, as: options.format)
    }
}
