// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What a SensorTag says of itself: device information, and the name of the generic access service.
struct SensorTagInformation {
    /// The characteristics of the device information service, in their order.
    static let characteristics: [UInt16] = [
        0x2A23, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A2A, 0x2A50,
    ]

    let firmware: SensorTagFirmware
    let address: BluetoothAddress?

    /// The value of a characteristic of the device information service; `nil` for any other.
    func value(of characteristic: UInt16) -> [UInt8]? {
        switch characteristic {
        case 0x2A23: systemIdentifier
        case 0x2A24, 0x2A25, 0x2A27, 0x2A28: Self.text("N.A.")
        case 0x2A26: Self.text(firmware.revision)
        case 0x2A29: Self.text("Texas Instruments")
        case 0x2A2A: [0xFE, 0x00] + Array("experimental".utf8)
        case 0x2A50: [0x01, 0x0D, 0x00, 0x00, 0x00, 0x10, 0x01]
        default: nil
        }
    }

    /// The address, with two zeros in its middle; the last octet of its text goes first.
    private var systemIdentifier: [UInt8] {
        let octets = Array((address?.octets ?? SensorTagWire.exampleAddress).reversed())
        return octets[..<3] + [0, 0] + octets[3...]
    }

    /// The tag sends the end of its strings too.
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
}
