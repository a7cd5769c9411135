// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BlueZRadio
import Emulator
import Radio

/// The option `--radio`: the only place that picks a radio.
struct RadioOption: ParsableArguments {
    @Option(help: "auto, or bluez, bluez:hciN, bluez:ADDRESS.")
    var radio: String?

    /// What is asked for, by the option, else by BEACONRY_RADIO, else `auto`.
    var name: String { radio ?? Environment.value("BEACONRY_RADIO") ?? "auto" }

    /// Whether one was asked for.
    var isGiven: Bool { radio != nil || Environment.value("BEACONRY_RADIO") != nil }

    /// The adapter of BlueZ that is meant.
    /// - Throws: `Failure` for a name that is none, `RadioError` for a radio that this version does not have.
    func selector() throws -> AdapterSelector {
        if name == "auto" || name == "bluez" { return .any }
        if name.hasPrefix("bluez:"), let selector = AdapterSelector(String(name.dropFirst("bluez:".count))) {
            return selector
        }
        let later = ["virtual", "hci-socket", "tcp-client", "unix", "serial"]
        if later.contains(where: { name == $0 || name.hasPrefix("\($0):") }) {
            throw RadioError(
                .unsupported, "this version has no radio \"\(name)\"", cure: "use bluez, on a machine with an adapter")
        }
        throw Failure.usage("\"\(name)\" is not a radio; write auto, bluez, bluez:hci0 or bluez:ADDRESS")
    }

    /// The radio.
    func make(ledger: any RadioLedger) throws -> any PeripheralRadio {
        BlueZRadio(try selector(), ledger: ledger)
    }
}
