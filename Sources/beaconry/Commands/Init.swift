// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools

/// `beaconry init`
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a first profile, with comments.",
        discussion: """
            Example: beaconry init shop.yaml

            The profile has the name of the file. A file that exists is not changed.
            """)

    @Argument(help: "File of the profile (default: beacons.yaml).")
    var file = "beacons.yaml"

    @OptionGroup var output: OutputOptions

    func run() throws { try FirstProfile.write(to: file, as: output.format) }
}
