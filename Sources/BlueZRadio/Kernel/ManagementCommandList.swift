// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What Read Management Supported Commands returns (mgmt-api, command 0x0002), without the events behind the commands.
struct ManagementCommandList: WireCodable, Hashable {
    /// The commands that this kernel has.
    let opcodes: [ManagementOpcode]
    /// The events, as they come.
    let events: [UInt16]

    init(parsing reader: inout ByteReader) throws(WireError) {
        let commandCount: UInt16 = try reader.readLittleEndian()
        let eventCount: UInt16 = try reader.readLittleEndian()
        var opcodes: [ManagementOpcode] = []
        for _ in 0..<commandCount { opcodes.append(ManagementOpcode(rawValue: try reader.readLittleEndian())) }
        var events: [UInt16] = []
        for _ in 0..<eventCount { events.append(try reader.readLittleEndian()) }
        self.opcodes = opcodes
        self.events = events
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: opcodes.count))
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: events.count))
        for opcode in opcodes { writer.writeLittleEndian(opcode.rawValue) }
        for event in events { writer.writeLittleEndian(event) }
    }
}
