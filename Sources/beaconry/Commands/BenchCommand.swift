// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Emulator
import Glibc
import RunAPI

/// `beaconry bench`
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Prepare a walk on the bench.",
        discussion: "Example: beaconry bench calibrate",
        subcommands: [BenchCalibrate.self])
}

/// `beaconry bench calibrate`
struct BenchCalibrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Compute the RSSI of a phone on the bench, for run --bench-rssi.",
        discussion: """
            Example: beaconry bench calibrate

            Advertises an iBeacon on the radio while the phone rests beside it, and reads the RSSI values that an app on the phone \
            shows from standard input. Values that are given as arguments, or that standard input has from a pipe, need no \
            radio: beaconry bench calibrate -67 -69 -68
            """)

    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("RSSI values in dBm.", valueName: "rssi"))
    var values: [String] = []

    @OptionGroup var radio: RadioOption

    @OptionGroup var output: OutputOptions

    func run() async throws {
        if !values.isEmpty { return try BenchCalibrateTool.run(values, as: output.format) }
        guard isatty(STDIN_FILENO) == 1 else { return try BenchCalibrateTool.runOnInput(as: output.format) }
        try await BenchCalibrateTool.run(advertisingOn: try radio.driver(), as: output.format)
    }
}

/// `beaconry ctl bench`
struct ControlBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Show the walk on the bench: what the receiver gets, and what the radio sends instead.",
        discussion: "Example: beaconry ctl bench")
    @OptionGroup var options: ControlOptions
    func run() async throws { try await options.tool.perform(ShowBench()) { BenchText.lines($0) } }
}
