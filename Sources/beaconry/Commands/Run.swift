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
        commandName: "run", abstract: "Run the beacons of profiles.",
        discussion: """
            Example: beaconry run profiles/museum.yaml --strict --json

            beaconry ctl reload reads the profiles again, and with --watch they are read again whenever one of their files \
            changes. So does SIGHUP, unless standard input or output is a terminal: \
            then it ends the run, because it means that the terminal was closed.
            """)

    @Argument(help: "Profiles, in YAML; may be left out with --replay.")
    var profiles: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Pattern of the ids of beacons, such as 'room-3-*', or of PROFILE/ID: only these run; may be repeated \
            (default: all).
            """, valueName: "pattern"))
    var only: [String] = []

    @Flag(
        help: """
            Read the profiles again whenever one of their files changes: only what changed restarts, and files with faults \
            change nothing.
            """)
    var watch = false

    @OptionGroup var options: RunOptions

    @OptionGroup var bench: BenchOptions

    @OptionGroup var state: StateOptions

    func validate() throws {
        // A profile behind --radio, without a radio between them, is reported as the radio that it is not.
        guard profiles.isEmpty, options.air.model.replay == nil, options.radio.isValid else { return }
        throw ValidationError("Missing expected argument '<profiles> ...'")
    }

    func run() async throws {
        if profiles.isEmpty { _ = try options.radio.driver() }
        let folder = try state.folder()
        let paths = profiles
        let files = WatchedFiles()
        let patterns = BeaconPatterns(only)
        let all = try Self.load(paths, files)
        try patterns.check(all)
        try bench.check(all)
        let walk = try bench.settings(on: all)
        let loaded = bench.prepared(patterns.selected(all))
        var configuration = try options.configuration(
            profiles: loaded, state: folder, resets: state.resets
        ) { [bench] () throws(ProfileFaults) in bench.prepared(patterns.selected(try Self.load(paths, files))) }
        configuration.watchesProfiles = watch
        try await Running(
            options: options, configuration: configuration, control: options.controlPlace,
            watch: watch ? ProfileWatch(files) : nil, bench: walk
        ).run()
    }

    /// The profiles; without any, one without beacons, for a run that only sends a recording again.
    private static func load(_ paths: [String], _ files: WatchedFiles) throws(ProfileFaults) -> [Profile] {
        paths.isEmpty ? [Profile(name: "replay", beacons: [])] : try ProfileFiles.load(paths, noting: files)
    }
}
