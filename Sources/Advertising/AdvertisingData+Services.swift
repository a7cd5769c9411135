// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

extension AdvertisingData {
    /// The services that it names, in their order: in lists of UUIDs (types 0x02 to 0x07), and by data of theirs (0x16,
    /// 0x20 and 0x21).
    public var services: [BluetoothUUID] { structures.flatMap(\.services) }
}

extension AdvertisingStructure {
    /// The services that it names; none where its type is of something else, or its data of another form.
    public var services: [BluetoothUUID] {
        switch self {
        case .serviceUUIDs16(let uuids, _): uuids.map { .bit16($0) }
        case .serviceUUIDs128(let uuids, _): uuids.map { .bit128($0) }
        case .serviceData16(let uuid, _): [.bit16(uuid)]
        case .unknown(0x04, let data), .unknown(0x05, let data):
            data.count.isMultiple(of: 4)
                ? stride(from: 0, to: data.count, by: 4).map { Self.uuid32(data[$0..<$0 + 4]) } : []
        case .unknown(0x20, let data) where data.count >= 4: [Self.uuid32(data[..<4])]
        case .unknown(0x21, let data) where data.count >= 16:
            UUID128(octets: data[..<16].reversed()).map { [.bit128($0)] } ?? []
        default: []
        }
    }

    private static func uuid32(_ octets: ArraySlice<UInt8>) -> BluetoothUUID {
        .bit32(octets.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}
