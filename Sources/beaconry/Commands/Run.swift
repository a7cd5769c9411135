// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Emulator
import Persistence
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

    @Flag(
        help: """
            At a start at which the profiles cannot be read, or the radio cannot carry them, run those that ran last, which are \
            kept in the state folder (default: the run ends).
            """)
    var lastGood = false

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
        if lastGood, folder == nil {
            throw Failure.usage("--last-good keeps the profiles in the state folder; leave --ephemeral out")
        }
        let kept = keptProfiles(in: folder)
        let files = WatchedFiles()
        let (all, warning) = try firstProfiles(files, kept)
        do {
            try await run(all, files, kept, folder, warning)
        } catch let error as EmulatorError where error.isOfProfiles && warning == nil {
            guard let last = kept?.substitute(for: error) else { throw error }
            try await run(last.profiles, files, kept, folder, last.warning)
        }
    }

    /// The profiles of the start, or those that ran last, with a warning.
    private func firstProfiles(_ files: WatchedFiles, _ kept: LastGoodProfiles?) throws -> ([Profile], Warning?) {
        do {
            let all = try Self.load(profiles, files, kept)
            try BeaconPatterns.chosen(only).check(all)
            return (all, nil)
        } catch {
            guard let last = kept?.substitute(for: error) else { throw error }
            if let faults = error as? ProfileFaults { faults.lines.forEach(Output.note) }
            return (last.profiles, last.warning)
        }
    }

    /// - Parameter warning: That the profiles are those that ran last; `nil` if they are not.
    private func run(
        _ all: [Profile], _ files: WatchedFiles, _ kept: LastGoodProfiles?, _ folder: StateFolder?, _ warning: Warning?
    ) async throws {
        let paths = profiles
        let patterns = BeaconPatterns.chosen(only)
        try bench.check(all)
        let walk = try bench.settings(on: all)
        let loaded = bench.prepared(patterns.selected(all))
        var configuration = try options.configuration(
            profiles: loaded, state: folder, resets: state.resets
        ) { [bench] () throws(ProfileFaults) in
            bench.prepared(try patterns.selectedAgain(try Self.load(paths, files, kept), from: paths))
        }
        configuration.watchesProfiles = watch
        configuration.lastGood = warning
        if let kept { configuration.keepProfiles = { kept.keep() } }
        try await Running(
            options: options, configuration: configuration, control: options.controlPlace,
            watch: watch ? ProfileWatch(files) : nil, bench: walk, profilePaths: paths
        ).run()
    }

    /// The profiles that ran last, if they are requested.
    private func keptProfiles(in folder: StateFolder?) -> LastGoodProfiles? {
        guard lastGood || EnvironmentVariable.lastGood.isSet else { return nil }
        guard let folder, !profiles.isEmpty else {
            let reason = folder == nil ? "nothing is saved (--ephemeral)" : "there are no profiles"
            Output.note("beaconry: --last-good (BEACONRY_LAST_GOOD) has no effect: \(reason)")
            return nil
        }
        return LastGoodProfiles(of: profiles, only: BeaconPatterns.chosen(only).patterns, in: folder)
    }

    /// The profiles; without any, one without beacons, for a run that only sends a recording again.
    private static func load(
        _ paths: [String], _ files: WatchedFiles, _ kept: LastGoodProfiles?
    ) throws(ProfileFaults) -> [Profile] {
        guard !paths.isEmpty else { return [Profile(name: "replay", beacons: [])] }
        guard let kept else { return try ProfileFiles.load(paths, noting: files) }
        return try kept.load(noting: files)
    }
}
