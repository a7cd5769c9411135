// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

/// The hash by which a client knows a table again (Core 5.4, Vol 3, Part G, 7.3.1).
enum DatabaseHash {
    /// AES-CMAC under a key of zeros, in the order in which it is computed: 16 octets.
    static func cipherBasedCode(of attributes: [Attribute]) -> [UInt8] {
        SecurityCipher.authenticationCode(of: input(of: attributes), key: [UInt8](repeating: 0, count: 16))
    }

    /// What is hashed: declarations with their values, descriptors without, other values not at all.
    static func input(of attributes: [Attribute]) -> [UInt8] {
        var writer = ByteWriter()
        for attribute in attributes {
            guard case .bit16(let type) = attribute.type, withValue.contains(type) || withoutValue.contains(type) else {
                continue
            }
            attribute.handle.serialize(into: &writer)
            writer.writeLittleEndian(type)
            if withValue.contains(type), case .constant(let value) = attribute.value { writer.write(value) }
        }
        return writer.bytes
    }

    /// Whether the value of an attribute of this type is a part of the service's definition.
    static func includesValue(of type: BluetoothUUID) -> Bool {
        if case .bit16(let type) = type { withValue.contains(type) } else { false }
    }

    private static let withValue: Set<UInt16> = [0x2800, 0x2801, 0x2802, 0x2803, 0x2900]
    private static let withoutValue: Set<UInt16> = [0x2901, 0x2902, 0x2903, 0x2904, 0x2905]
}
