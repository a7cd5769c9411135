// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension RSSI? {
    /// The RSSI, if a receiver can have measured it: -127 to 20 dBm. Not 127, "not available" (Core
    /// 5.4, Vol 4, Part E, 7.7.65.2).
    package var known: RSSI? {
        guard let self, -127...20 ~= self.decibelMilliwatts else { return nil }
        return self
    }
}

extension Duration {
    /// Seconds for people, to the nearest millisecond and without needless decimals: `5 s`, `0.25 s`.
    var secondsText: String {
        let text = String((self / .seconds(1) * 1000).rounded() / 1000)
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
    }
}

extension Double {
    /// With two decimals, rounded: `9.31`.
    var twoDecimals: String {
        guard abs(self) < 1e12 else { return "\(self)" }
        let hundredths = Int((self * 100).rounded())
        let fraction = String(abs(hundredths) % 100 + 100).dropFirst()
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(fraction)"
    }
}
