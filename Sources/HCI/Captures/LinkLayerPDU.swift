// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Advertisements in captures of the link layer (LINKTYPE_BLUETOOTH_LE_LL): access address, PDU and CRC.
enum LinkLayerPDU {
    /// The access address of advertising (Core 5.4, Vol 6, Part B, 2.1.2), the least significant byte first.
    private static let accessAddress: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E]
    /// The longest data in one extended report of a controller.
    private static let longestPart = 229

    /// The advertising reports that a controller makes of the PDU, without an RSSI; empty for other PDUs, such as scan requests
    /// and data of connections, and for one that is cut.
    static func reports(in data: ArraySlice<UInt8>) -> [HCIEventPacket] {
        guard data.starts(with: accessAddress) else { return [] }
        var reader = ByteReader(data.dropFirst(4))
        return (try? reports(of: &reader)) ?? []
    }

    private static func reports(of reader: inout ByteReader) throws(WireError) -> [HCIEventPacket] {
        let header = try reader.readUInt8()
        let length = Int(try reader.readUInt8())
        var payload = try reader.reader(count: length)
        let addressType: AddressType = header & 0x40 == 0 ? .public : .random
        // Core 5.4, Vol 6, Part B, 2.3.
        let type: AdvertisingReportType
        switch header & 0x0F {
        case 0: type = .connectableUndirected
        case 1: type = .connectableDirected
        case 2: type = .nonConnectableUndirected
        case 4: type = .scanResponse
        case 6: type = .scannableUndirected
        case 7: return try extended(&payload, addressType)
        default: return []
        }
        let address = try BluetoothAddress(parsing: &payload)
        // A directed advertisement has the address of its target in the place of data.
        let data = type == .connectableDirected ? [] : Array(payload.readAll())
        guard data.count <= 31 else { return [] }
        let report = LEAdvertisingReport.Report(
            eventType: type, addressType: addressType, address: address, data: data, rssi: .unavailable)
        return [HCIEventPacket(LEAdvertisingReport(reports: [report]))]
    }

    /// The common extended advertising payload format (Core 5.4, Vol 6, Part B, 2.3.4). PDUs without an address, or without data,
    /// make no report: the data is in another PDU.
    private static func extended(
        _ payload: inout ByteReader, _ addressType: AddressType
    ) throws(WireError) -> [HCIEventPacket] {
        let first = try payload.readUInt8()
        var header = try payload.reader(count: Int(first & 0x3F))
        let data = Array(payload.readAll())
        guard !header.isAtEnd, !data.isEmpty else { return [] }
        let flags = try header.readUInt8()
        guard flags & 0x01 != 0 else { return [] }
        let address = try BluetoothAddress(parsing: &header)
        if flags & 0x02 != 0 { _ = try header.read(count: 6) }
        if flags & 0x04 != 0 { _ = try header.readUInt8() }
        let set = flags & 0x08 != 0 ? UInt8(try header.readLittleEndian(UInt16.self) >> 12) : 0xFF
        if flags & 0x10 != 0 { _ = try header.read(count: 3) }
        if flags & 0x20 != 0 { _ = try header.read(count: 18) }
        let power = flags & 0x40 != 0 ? TransmitPower(try header.readInt8()) : .unspecified
        var type: ExtendedAdvertisingEventType = []
        if first & 0x40 != 0 { type.insert(.connectable) }
        if first & 0x80 != 0 { type.insert(.scannable) }
        // The chain of further PDUs has no address: what it has is not known to be of this advertiser.
        let isChained = flags & 0x10 != 0
        return stride(from: 0, to: data.count, by: longestPart).map { start in
            let end = min(start + longestPart, data.count)
            var part = type
            if end < data.count { part.insert(.incomplete) } else if isChained { part.insert(.truncated) }
            return HCIEventPacket(
                LEExtendedAdvertisingReport(reports: [
                    LEExtendedAdvertisingReport.Report(
                        eventType: part, addressType: addressType, address: address, secondaryPHY: .oneMegabit,
                        advertisingSetIdentifier: set, transmitPower: power, rssi: .unavailable,
                        data: Array(data[start..<end]))
                ]))
        }
    }
}
