// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BlueZRadio
import Emulator
import HCIRadio
import Persistence
import Profiles
import Radio

/// The options that `run` and `advertise` share.
struct RunOptions: ParsableArguments {
    @OptionGroup var radio: RadioOption

    @OptionGroup var air: VirtualAirOption

    @Flag(help: "Wait for the radio until it is usable instead of failing.")
    var wait = false

    @Flag(help: "Fail (exit code 69) where what is on the air differs from what was requested.")
    var strict = false

    @Option(help: "Stop this long after all beacons are on the air, such as 10s (default: run until Ctrl-C).")
    var duration: String?

    @Option(help: "File that exists while all beacons are on the air (default: none).")
    var readyFile: String?

    @Option(
        help: """
            Btsnoop file of the HCI traffic, for btmon and Wireshark; it holds keys, so only its owner may read it \
            (default: none).
            """)
    var capture: String?

    @Option(help: "Control socket (default: PROFILE.sock in $XDG_RUNTIME_DIR/beaconry).")
    var control: String?

    @Flag(help: "Print one JSON object a line on standard output.")
    var json = false

    /// Whether results are JSON.
    var writesJSON: Bool { json || Environment.flag("BEACONRY_JSON") }

    /// Whether to wait for the radio.
    private var waits: Bool { wait || Environment.flag("BEACONRY_WAIT") }

    /// The capture file that is wanted, begun.
    func makeCapture() throws -> CaptureFile? {
        try (capture ?? Environment.value("BEACONRY_CAPTURE")).map { path throws(EmulatorError) in try CaptureFile(path)
        }
    }

    /// The radio that is meant.
    func makeRadio(ledger: any RadioLedger, capture: CaptureFile?) throws -> any PeripheralRadio {
        let selection = try radio.selection(waits: waits)
        if case .virtual(let reason) = selection {
            return HCIRadio(virtual: try air.options(), reason: reason, capture: capture)
        }
        if air.isGiven {
            throw Failure.usage("--hci-server, --seed, --air-timing, --path-loss and --rssi-noise need --radio virtual")
        }
        switch selection {
        case .bluez(let selector): return BlueZRadio(selector, ledger: ledger, capture: capture)
        case .controller(let transport): return HCIRadio(transport, capture: capture)
        case .virtual: preconditionFailure("taken above")
        }
    }

    func configuration(
        state: StateFolder?, resets: Bool, loadProfiles: @escaping @Sendable () throws(ProfileFaults) -> [Profile]
    ) throws -> Emulator.Configuration {
        let length = try (duration ?? Environment.value("BEACONRY_DURATION")).map { text in
            try named("--duration") { () throws(ValueFault) in try ValueText.duration(text) }
        }
        return Emulator.Configuration(
            loadProfiles: loadProfiles, state: state, resets: resets,
            isStrict: strict || Environment.flag("BEACONRY_STRICT"), waits: waits,
            duration: length, readyFile: readyFile ?? Environment.value("BEACONRY_READY_FILE"))
    }
}
