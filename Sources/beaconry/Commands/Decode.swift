// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools

/// `beaconry decode`
struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode advertising data, HCI reports or btsnoop files.",
        discussion: """
            Example: beaconry decode 0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5

            Hexadecimal digits are AD structures, or an HCI event with advertising reports (04 3e …). For a btsnoop file, \
            every advertising report is printed.
            """)

    @Argument(help: "Hexadecimal digits, or a btsnoop file.")
    var input: String

    @OptionGroup var output: OutputOptions

    func run() throws { try DecodeTool(format: output.format).run(input) }
}
