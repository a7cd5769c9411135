// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools

/// The form of results, an option of every command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line on standard output.")
    var json = false

    var format: OutputFormat { json || EnvironmentVariable.json.isSet ? .json : .text }
}
