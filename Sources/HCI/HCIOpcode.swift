// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The number of an HCI command: group and command fields (Core 5.4, Vol 4, Part E, 5.4.1).
package struct HCIOpcode: Hashable, Sendable {
    /// Both fields as they are on the wire: group in the upper six bits.
    package let rawValue: UInt16
    /// Any opcode, known or not.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Opcode Group Field: 8 for LE commands, 0x3F for a vendor's own.
    package var group: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }
    /// Opcode Command Field: the number within the group.
    package var command: UInt16 { rawValue & 0x03FF }

    /// No command: an event that names it only tells how many commands the controller takes.
    package static let none = HCIOpcode(rawValue: 0)
}

extension HCIOpcode: CustomStringConvertible {
    /// Four digits: `0x200C`.
    package var description: String {
        "0x" + Hexadecimal.string([UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)]).uppercased()
    }
}
