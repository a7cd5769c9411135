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
        abstract: "Record advertisements with timestamps and RSSI.",
        discussion: """
            Example: beaconry record shop.jsonl --duration 30s

            The file has one JSON object a line. It appears when the recording ends, also by Ctrl-C; until then it is \
            FILE.part. beaconry clone makes a profile from it.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "Scan passively, without scan requests.")
    var passive = false

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        try Failure.unlessFree(file, force: force)
        let listening = try options.listening(
            duration: try time.value(), limits: [.pdu, .duplicates, .passiveScanning, .exactData])
        try await RecordTool.run(ScanParameters(isActive: !passive), on: listening, to: file, as: options.format)
    }
}
