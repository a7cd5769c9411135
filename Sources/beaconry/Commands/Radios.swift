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

    @Flag(
        help: """
            Remove the advertisements that killed runs have left on adapters, and print their number (needs CAP_NET_ADMIN; \
            the next run on the adapter removes them as well).
            """)
    var clean = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if clean, !profiles.isEmpty { throw ValidationError("--clean takes no profiles.") }
    }

    func run() async throws {
        if clean {
            try await RadiosTool.clean(as: output.format)
        } else {
            try await RadiosTool.run(profiles, as: output.format)
        }
    }
}
