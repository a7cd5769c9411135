// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools

/// `beaconry radios`
struct Radios: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radios", abstract: "List radios and their capabilities.",
        discussion: """
            Example: beaconry radios profiles/museum.yaml

            Prints what is known of adapters that are recognised (docs/adapters.md). With profiles, prints how many of their \
            beacons each adapter can carry, and what would differ on it.

            An iPhone that connects to a beacon under BlueZ may show a pairing dialog: bluetoothd reads the phone's own \
            services. ReverseServiceDiscovery=false in /etc/bluetooth/main.conf, or bluetoothd -P battery, stops it.
            """)

    @Argument(help: "Profiles that are compared with each adapter (default: none).")
    var profiles: [String] = []

    @OptionGroup var output: OutputOptions

    func run() async throws { try await RadiosTool.run(profiles, as: output.format) }
}
