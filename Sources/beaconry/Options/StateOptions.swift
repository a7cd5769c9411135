// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulator
import Persistence

/// The options of commands that keep something over their runs.
struct StateOptions: ParsableArguments {
    /// What `--state` is.
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

    /// Where things are kept; `nil` when nothing is.
    /// - Throws: `Failure` when both are asked for.
    func folder() throws -> StateFolder? {
        if ephemeral, state != nil { throw Failure.usage("--ephemeral and --state exclude each other; leave one out") }
        guard !ephemeral, !Environment.flag("BEACONRY_EPHEMERAL") else { return nil }
        return StateFolder(Folders.state(state))
    }

    /// Whether what was kept is forgotten first.
    var resets: Bool { factoryReset || Environment.flag("BEACONRY_FACTORY_RESET") }
}
