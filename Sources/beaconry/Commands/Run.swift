// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Emulator
import Profiles

/// `beaconry run`
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the beacons of profiles.",
        discussion: """
            Example: beaconry run profiles/museum.yaml --strict --json

            beaconry ctl reload reads the profiles again. So does SIGHUP, unless standard input or output is a terminal: \
            then it ends the run, because it means that the terminal was closed.
            """)

    @Argument(help: "Profiles, in YAML.")
    var profiles: [String]

    @OptionGroup var options: RunOptions

    @OptionGroup var state: StateOptions

    func run() async throws {
        let folder = try state.folder()
        let paths = profiles
        let loaded = try ProfileFiles.load(paths)
        let configuration = try options.configuration(
            profiles: loaded, state: folder, resets: state.resets
        ) { () throws(ProfileFaults) in try ProfileFiles.load(paths) }
        let control = options.control ?? EnvironmentVariable.control.value
        try await Running(
            options: options, configuration: configuration,
            controlPaths: control.map { [$0] } ?? loaded.map { Folders.controlSocket(of: $0.name) },
            namesSockets: control == nil
        ).run()
    }
}
