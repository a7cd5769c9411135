// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryTools

/// `beaconry encode`
struct Encode: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print advertising data as hexadecimal digits; no radio needed.", subcommands: [EncodeIBeacon.self])
}

/// `beaconry encode ibeacon`
struct EncodeIBeacon: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ibeacon", abstract: "Print an iBeacon's advertising data.",
        discussion: """
            Example: beaconry encode ibeacon --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --minor 2
            prints 0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5
            """)

    @OptionGroup var frame: IBeaconOptions

    @OptionGroup var output: OutputOptions

    func run() throws {
        let data = frame.beacon.advertisingData(flags: try frame.advertisingFlags())
        Output.report(EncodedPayload(data), as: output.format)
    }
}
