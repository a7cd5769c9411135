// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How bits are sent (Core 5.4, Vol 4, Part E, 7.8.47).
package struct PHY: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// In a report: nothing was received on a secondary channel.
    package static let none = PHY(rawValue: 0)
    /// LE 1M.
    package static let oneMegabit = PHY(rawValue: 1)
    /// LE 2M.
    package static let twoMegabit = PHY(rawValue: 2)
    /// LE Coded.
    package static let coded = PHY(rawValue: 3)
}

/// Several PHYs, a bit each (Core 5.4, Vol 4, Part E, 7.8.48).
package struct PHYSet: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE 1M.
    package static let oneMegabit = PHYSet(rawValue: 1 << 0)
    /// LE 2M.
    package static let twoMegabit = PHYSet(rawValue: 1 << 1)
    /// LE Coded.
    package static let coded = PHYSet(rawValue: 1 << 2)
}

/// Which directions a host leaves to the controller (Core 5.4, Vol 4, Part E, 7.8.48).
package struct PHYIndifference: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Any PHY to send on.
    package static let transmit = PHYIndifference(rawValue: 1 << 0)
    /// Any PHY to receive on.
    package static let receive = PHYIndifference(rawValue: 1 << 1)
}
