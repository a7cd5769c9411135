// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools

/// `beaconry radios`
struct Radios: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List radios and their capabilities.",
        discussion: """
            Example: beaconry radios --json

            An iPhone that connects to a beacon under BlueZ may show a pairing dialog: bluetoothd reads the phone's own \
            services. ReverseServiceDiscovery=false in /etc/bluetooth/main.conf, or bluetoothd -P battery, stops it.
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws { try await RadiosTool.run(as: output.format) }
}
