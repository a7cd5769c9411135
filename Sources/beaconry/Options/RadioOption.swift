// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Radio

/// The option `--radio`.
struct RadioOption: ParsableArguments {
    @Option(help: "\(RadioDrivers.forms) (default: auto).")
    var radio: String?

    private var name: String? { radio ?? EnvironmentVariable.radio.value }

    /// Whether a radio was named, by the option or by BEACONRY_RADIO.
    var isGiven: Bool { name != nil }

    /// Whether the named radio is one, or none is named.
    var isValid: Bool { name.map { (try? RadioDrivers.radio(named: $0, waits: true)) != nil } ?? true }

    /// Whether the virtual air meets the request: no radio was named, or `auto`, or `virtual`.
    var mayBeVirtual: Bool { ["auto", "virtual"].contains(name ?? "auto") }

    /// The selected radio.
    /// - Parameters:
    ///   - waits: whether to wait for the radio.
    ///   - standard: the radio if none was named.
    func driver(waits: Bool = false, standard: String = "auto") throws(Failure) -> any RadioDriver {
        try RadioDrivers.radio(named: name ?? standard, waits: waits)
    }
}
