// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension BluetoothUUID {
    /// The form in which the attribute protocol writes it: 16 bits where they do, 128 bits for any other.
    var shortest: BluetoothUUID {
        if case .bit16 = self { return self }
        let expanded = expanded
        guard let short = UInt16(exactly: expanded.octets[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) else {
            return .bit128(expanded)
        }
        let candidate = BluetoothUUID.bit16(short)
        return candidate.expanded == expanded ? candidate : .bit128(expanded)
    }

    /// Whether two in their shortest forms are equal; of short ones, without the work of expanding them.
    func isSame(as other: BluetoothUUID) -> Bool {
        switch (self, other) {
        case (.bit16(let left), .bit16(let right)): left == right
        case (.bit16, _), (_, .bit16): false
        default: expanded == other.expanded
        }
    }

    /// Reads what is the whole of `bytes`: two octets, or sixteen.
    /// - Throws: `ATTClientError.malformedResponse`, since it is a server's.
    init(attributeTypeBytes bytes: [UInt8]) throws(ATTClientError) {
        var reader = ByteReader(bytes)
        do {
            self = try reader.readAttributeType()
        } catch {
            throw .malformedResponse
        }
    }

    /// Its octets as the attribute protocol writes them.
    var attributeTypeBytes: [UInt8] {
        var writer = ByteWriter()
        writer.writeAttributeType(shortest)
        return writer.bytes
    }
}
