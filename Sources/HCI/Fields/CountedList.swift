// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension ByteReader {
    /// So many values.
    mutating func readList<Element: WireCodable>(count: Int) throws(WireError) -> [Element] {
        var list: [Element] = []
        for _ in 0..<count { list.append(try Element(parsing: &self)) }
        return list
    }

    /// An octet that counts, and so many values.
    mutating func readCountedList<Element: WireCodable>() throws(WireError) -> [Element] {
        try readList(count: Int(try readUInt8()))
    }
}

extension ByteWriter {
    /// An octet that counts, and the values; those that exceed 255 are left out.
    mutating func writeCountedList<Element: WireCodable>(_ list: [Element]) {
        let sent = list.prefix(255)
        write(UInt8(truncatingIfNeeded: sent.count))
        for element in sent { element.serialize(into: &self) }
    }

    /// An octet that counts, and the octets; those that exceed 255 are left out.
    mutating func writeCountedOctets(_ octets: [UInt8]) {
        guard octets.count > 255 else {
            write(UInt8(truncatingIfNeeded: octets.count))
            return write(octets)
        }
        write(UInt8(255))
        write(octets[..<255])
    }
}
