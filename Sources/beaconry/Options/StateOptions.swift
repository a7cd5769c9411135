// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulator

/// The options of commands that keep something over their runs.
struct StateOptions: ParsableArguments {
    @Option(help: "The folder of persisted settings and bonds.")
    var state: String?

    @Flag(help: "Keep nothing.")
    var ephemeral = false

    @Flag(help: "Forget what is persisted of these profiles first.")
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
