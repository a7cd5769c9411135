// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BluetoothCore
import Emulator

/// `beaconry decode`
struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what an advertising data payload is.",
        discussion: """
            Example: beaconry decode 0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5
            """)

    @Argument(help: "AD structures as hexadecimal digits.")
    var hex: String

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    func run() throws {
        var reader = ByteReader(try Hexadecimal.bytes(hex))
        let (data, error) = AdvertisingData.parsePrefix(of: &reader)
        let record = DecodedPayload(data)
        if json { Output.line(JSONLine.encode(record)) } else { record.lines.forEach(Output.line) }
        if let error { throw error }
    }
}
