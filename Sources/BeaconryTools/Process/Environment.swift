// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process's environment.
package enum Environment {
    /// The value of a variable that is set and not empty.
    package static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}

/// The options that have an environment variable, by their long names; the option on the command line has precedence.
///
/// This table is the only place where a variable is declared: its name and the help are derived from it.
package enum EnvironmentVariable: String, CaseIterable, Sendable {
    case radio
    case wait
    case strict
    case duration
    case readyFile = "ready-file"
    case capture
    case control
    case controlGroup = "control-group"
    case http
    case httpHost = "http-host"
    case httpAllowOrigin = "http-allow-origin"
    case url
    case httpTokenFile = "http-token-file"
    case metricsFile = "metrics-file"
    case metricsDetail = "metrics-detail"
    case json
    case state
    case ephemeral
    case factoryReset = "factory-reset"
    case lastGood = "last-good"
    case only
    case hciServer = "hci-server"
    case esphome
    case esphomeKey = "esphome-key"
    case esphomeKeyFile = "esphome-key-file"
    case rate
    case seed
    case airTiming = "air-timing"
    case physics
    case pathLoss = "path-loss"
    case rssiNoise = "rssi-noise"

    /// The variable: `BEACONRY_HCI_SERVER` for `--hci-server`.
    package var name: String { "BEACONRY_" + rawValue.uppercased().replacing("-", with: "_") }

    /// The variable's value; `nil` if it is unset or empty.
    package var value: String? { Environment.value(name) }

    /// The variables of flags.
    package static let flags: [EnvironmentVariable] = [.wait, .strict, .json, .ephemeral, .factoryReset, .lastGood]
    private static let on: Set = ["1", "true", "yes", "on", "y"]
    private static let off: Set = ["0", "false", "no", "off", "n"]

    /// Whether the variable switches a flag on: 1, true, yes, on or y, in any case.
    package var isSet: Bool { Self.on.contains(value?.lowercased() ?? "") }

    /// Checks the variables of flags.
    /// - Throws: `Failure` if one is neither on nor off.
    package static func checkFlags() throws(Failure) {
        for flag in flags {
            guard let value = flag.value?.lowercased(), !on.contains(value), !off.contains(value) else { continue }
            throw .usage("\(flag.name): \"\(flag.value ?? "")\" is neither 1 nor 0")
        }
    }

    /// The variable's value as the option parses it.
    /// - Throws: `Failure` that names the option and the variable.
    package func parsed<Value, Fault>(_ parse: (String) throws(Fault) -> Value) throws(Failure) -> Value? {
        guard let value else { return nil }
        do throws(Fault) {
            return try parse(value)
        } catch {
            throw .usage("--\(rawValue): \(error) (\(name))")
        }
    }
}
