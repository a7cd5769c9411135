// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// One packet of the monitor channel: kind, controller index, length and data, little-endian.
struct MonitorPacket: WireCodable, Hashable {
    /// The kinds that are of use here; the kernel has more.
    static let indexRemoved: UInt16 = 1
    static let command: UInt16 = 2
    static let event: UInt16 = 3

    /// What the packet is.
    let kind: UInt16
    /// The controller: N of hciN.
    let index: UInt16
    /// An HCI packet without its H4 octet, for commands and events.
    let data: [UInt8]

    init(kind: UInt16, index: UInt16, data: [UInt8]) {
        self.kind = kind
        self.index = index
        self.data = data
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        kind = try reader.readLittleEndian()
        index = try reader.readLittleEndian()
        let length: UInt16 = try reader.readLittleEndian()
        data = Array(try reader.read(count: Int(length)))
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(kind)
        writer.writeLittleEndian(index)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: data.count))
        writer.write(data)
    }
}
