// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Profiles

/// The options that all receiving commands share.
struct ListeningOptions: ParsableArguments {
    @OptionGroup var radio: RadioOption

    @Flag(help: "Wait for the radio until it is usable instead of failing.")
    var wait = false

    @Flag(help: "Print one JSON object a line on standard output.")
    var json = false

    /// Whether to wait for the radio.
    var waits: Bool { wait || Environment.flag("BEACONRY_WAIT") }

    /// Whether results are JSON.
    var isJSON: Bool { json || Environment.flag("BEACONRY_JSON") }
}

/// The option of commands that listen until told to stop.
struct DurationOption: ParsableArguments {
    @Option(help: "Stop after this time, such as 10s (default: run until Ctrl-C).")
    var duration: String?

    /// How long; `nil` until told to stop.
    func value() throws -> Duration? {
        try (duration ?? Environment.value("BEACONRY_DURATION")).map { text in
            try named("--duration") { () throws(ValueFault) in try ValueText.duration(text) }
        }
    }
}
