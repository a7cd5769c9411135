// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools

/// `beaconry plot`
struct Plot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Draw the RSSI of beacons over time, as SVG.",
        discussion: """
            Example: beaconry plot shop.jsonl --profile shop.yaml -o shop.svg

            A recording is a file of beaconry record, a btsnoop file (btmon -w, --capture), or the output of range, \
            monitor or scan with --json. Each beacon has points and a running median, which is interrupted where \
            nothing was received. The time is that since the beginning of each recording.
            """)

    @Argument(help: "The recordings.")
    var recordings: [String]

    @Option(help: "Profile with names and positions of beacons, which gives a map; may be repeated.")
    var profile: [String] = []

    @Option(name: .shortAndLong, help: "The file to write (default: standard output).")
    var output: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup var options: OutputOptions

    func run() throws {
        if let output {
            try Failure.unlessFree(output, force: force)
        } else if options.format == .json, options.json {
            throw Failure.usage("--json needs a file for the SVG; give --output, too")
        }
        try PlotTool.run(recordings, profiles: profile, to: output, as: options.format)
    }
}
