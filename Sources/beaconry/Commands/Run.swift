// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulator
import Profiles

/// `beaconry run`
struct Run: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Run the beacons of profiles.",
        discussion: """
            Example: beaconry run profiles/museum.yaml --strict --json

            beaconry ctl reload reads the profiles again, and so does SIGHUP where neither standard input nor output is a \
            terminal; where one is, SIGHUP ends the run: it comes when the terminal is closed. Options have environment \
            variables of their names, \
            such as BEACONRY_RADIO.
            """)

    @Argument(help: "Profiles, in YAML.")
    var profiles: [String]

    @OptionGroup var options: RunOptions

    @OptionGroup var state: StateOptions

    var writesJSON: Bool { options.writesJSON }

    func run() async throws {
        let folder = try state.folder()
        let paths = profiles
        let loaded = try ProfileFiles.load(paths)
        let configuration = try options.configuration(
            state: folder, resets: state.resets
        ) { () throws(ProfileFaults) in try ProfileFiles.load(paths) }
        let control = options.control ?? Environment.value("BEACONRY_CONTROL")
        try await Running(
            options: options, configuration: configuration,
            controlPaths: control.map { [$0] } ?? loaded.map { Folders.controlSocket(of: $0.name) },
            namesSockets: control == nil
        ).run()
    }
}
