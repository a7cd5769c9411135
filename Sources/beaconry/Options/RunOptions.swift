// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulator
import Profiles

/// The options that `run` and `advertise` share.
struct RunOptions: ParsableArguments {
    @OptionGroup var radio: RadioOption

    @Flag(help: "Wait for the radio instead of failing when it is not usable yet.")
    var wait = false

    @Flag(help: "Treat a difference between what is asked and what is on the air as an error (exit 69).")
    var strict = false

    @Option(help: "Run so long from the moment that every beacon is on the air, such as 10s.")
    var duration: String?

    @Option(help: "A file that appears when every beacon is on the air, and goes with the run.")
    var readyFile: String?

    @Option(help: "The control socket; default PROFILE.sock in $XDG_RUNTIME_DIR/beaconry.")
    var control: String?

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    func configuration(
        state: StateFolder?, resets: Bool, loadProfiles: @escaping @Sendable () throws(ProfileFaults) -> [Profile]
    ) throws -> Emulator.Configuration {
        let length = try (duration ?? Environment.value("BEACONRY_DURATION")).map { text in
            try named("--duration") { () throws(ValueFault) in try ValueText.duration(text) }
        }
        return Emulator.Configuration(
            loadProfiles: loadProfiles, state: state, resets: resets,
            isStrict: strict || Environment.flag("BEACONRY_STRICT"), waits: wait || Environment.flag("BEACONRY_WAIT"),
            duration: length, readyFile: readyFile ?? Environment.value("BEACONRY_READY_FILE"))
    }
}
