// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Persistence

/// The options of commands that save settings and bonds.
struct StateOptions: ParsableArguments {
    /// The help of `--state`.
    static let folderHelp: ArgumentHelp = """
        Folder of saved settings and bonds (default: $STATE_DIRECTORY, else $XDG_STATE_HOME/beaconry, else \
        ~/.local/state/beaconry).
        """

    @Option(help: folderHelp)
    var state: String?

    @Flag(help: "Do not save settings or bonds.")
    var ephemeral = false

    @Flag(help: "Delete the saved settings and bonds of these profiles first.")
    var factoryReset = false

    /// The folder; `nil` to save nothing.
    func folder() throws(Failure) -> StateFolder? {
        try Self.checkEphemeral(ephemeral, state: state) ? nil : Folders.stateFolder(state)
    }

    /// Whether to erase what was saved first.
    var resets: Bool { factoryReset || EnvironmentVariable.factoryReset.isSet }

    /// Whether nothing is saved.
    /// - Throws: `Failure` when the option contradicts `--state`.
    static func checkEphemeral(_ ephemeral: Bool, state: String?) throws(Failure) -> Bool {
        if ephemeral, state != nil { throw .usage("--ephemeral and --state exclude each other; leave one out") }
        return ephemeral || EnvironmentVariable.ephemeral.isSet
    }
}
