// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension HCIOpcode {
    /// The specification's name of a command that this host sends, in words; the number of any other.
    var name: String { Self.names[rawValue] ?? "command \(self)" }

    private static let names: [UInt16: String] = [
        0x0406: "Disconnect",
        0x0C01: "Set Event Mask",
        0x0C03: "Reset",
        0x0C6D: "Write LE Host Support",
        0x1001: "Read Local Version Information",
        0x1002: "Read Local Supported Commands",
        0x1003: "Read Local Supported Features",
        0x1005: "Read Buffer Size",
        0x1009: "Read BD_ADDR",
        0x2001: "LE Set Event Mask",
        0x2002: "LE Read Buffer Size",
        0x2003: "LE Read Local Supported Features",
        0x2005: "LE Set Random Address",
        0x2006: "LE Set Advertising Parameters",
        0x2007: "LE Read Advertising Physical Channel Tx Power",
        0x2008: "LE Set Advertising Data",
        0x2009: "LE Set Scan Response Data",
        0x200A: "LE Set Advertising Enable",
        0x200B: "LE Set Scan Parameters",
        0x200C: "LE Set Scan Enable",
        0x200D: "LE Create Connection",
        0x200E: "LE Create Connection Cancel",
        0x2013: "LE Connection Update",
        0x201B: "LE Long Term Key Request Negative Reply",
        0x2020: "LE Remote Connection Parameter Request Reply",
        0x2021: "LE Remote Connection Parameter Request Negative Reply",
        0x2022: "LE Set Data Length",
        0x2024: "LE Write Suggested Default Data Length",
        0x202F: "LE Read Maximum Data Length",
        0x2035: "LE Set Advertising Set Random Address",
        0x2036: "LE Set Extended Advertising Parameters",
        0x2037: "LE Set Extended Advertising Data",
        0x2038: "LE Set Extended Scan Response Data",
        0x2039: "LE Set Extended Advertising Enable",
        0x203A: "LE Read Maximum Advertising Data Length",
        0x203B: "LE Read Number of Supported Advertising Sets",
        0x203C: "LE Remove Advertising Set",
        0x2041: "LE Set Extended Scan Parameters",
        0x2042: "LE Set Extended Scan Enable",
        0x2043: "LE Extended Create Connection",
        0x204B: "LE Read Transmit Power",
    ]
}
