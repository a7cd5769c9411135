// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Numbers with a fixed count of decimals, for people.
enum DecimalText {
    /// With two decimals, rounded: `9.31`.
    static func hundredths(_ value: Double) -> String {
        guard abs(value) < 1e12 else { return "\(value)" }
        let count = Int((value * 100).rounded())
        return "\(count < 0 ? "-" : "")\(abs(count) / 100).\(String(abs(count) % 100 + 100).dropFirst())"
    }
}
