// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices

/// `beaconry decode`
struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode advertising data, HCI reports or captures.",
        discussion: """
            Example: beaconry decode 0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5

            Hexadecimal digits are AD structures, an HCI event with advertising reports (04 3e …), or a command that sets \
            advertising data. Of a capture (btsnoop, pcap or pcapng), every advertising report is printed.
            """)

    @Argument(help: "Hexadecimal digits, or a capture.")
    var input: String

    @Option(help: "File with the bind key of encrypted frames, 32 hexadecimal digits.")
    var bindKeyFile: String?

    @Option(help: "Address of the sender, for the bind key; reports have it.", transform: ValueText.address)
    var address: BluetoothAddress?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let key = try bindKeyFile.map { FrameKey(try ProfileFiles.bindKey(in: $0), address: address) }
        try DecodeTool(key: key, format: output.format).run(input)
    }
}
