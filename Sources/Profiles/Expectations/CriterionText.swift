// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Devices
package import Receiving

/// The texts of criteria, in options and in files.
extension ValueText {
    /// The name of a beacon format, or `eddystone` for all of Eddystone.
    package static func beaconFormat(_ text: String) throws(ValueFault) -> String {
        guard !BeaconFormats.named(text).isEmpty else {
            throw ValueFault(Spelling.notOne(text, of: BeaconFormats.names + ["eddystone"]))
        }
        return text
    }

    /// A range of RSSI values in dBm: `-70..-40`, `-70..` or `..-40`.
    package static func rssiRange(_ text: String) throws(ValueFault) -> NumberRange {
        try range(text, example: "-70..-40, or -70..")
    }

    /// A range of distances in metres: `1..2.5`, `..2.5`.
    package static func distanceRange(_ text: String) throws(ValueFault) -> NumberRange {
        try range(text, example: "1..2.5, or ..2.5")
    }

    private static func range(_ text: String, example: String) throws(ValueFault) -> NumberRange {
        guard let range = NumberRange(text) else {
            throw ValueFault("\"\(text)\" is not a range from a lower to a higher number; write one such as \(example)")
        }
        return range
    }
}
