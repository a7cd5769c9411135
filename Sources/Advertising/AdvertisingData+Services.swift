// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

extension AdvertisingData {
    /// The services that the data names, in order: in lists of UUIDs (types 0x02 to 0x07) and as service data (0x16,
    /// 0x20 and 0x21).
    public var services: [BluetoothUUID] { structures.flatMap(\.services) }

    /// The services that the advertiser solicits from centrals, in order (types 0x14, 0x15 and 0x1F).
    public var solicitedServices: [BluetoothUUID] { structures.flatMap(\.solicitedServices) }
}

extension AdvertisingStructure {
    /// The services that the structure names; empty for other types and for malformed data.
    public var services: [BluetoothUUID] {
        switch self {
        case .serviceUUIDs16(let uuids, _): uuids.map { .bit16($0) }
        case .serviceUUIDs128(let uuids, _): uuids.map { .bit128($0) }
        case .serviceData16(let uuid, _): [.bit16(uuid)]
        case .unknown(0x04, let data), .unknown(0x05, let data): Self.uuids32(data)
        case .unknown(0x20, let data) where data.count >= 4: [Self.uuid32(data[..<4])]
        case .unknown(0x21, let data) where data.count >= 16:
            UUID128(octets: data[..<16].reversed()).map { [.bit128($0)] } ?? []
        default: []
        }
    }

    /// The services that the structure solicits; empty for other types and for malformed data.
    public var solicitedServices: [BluetoothUUID] {
        switch self {
        case .unknown(0x14, let data): AdvertisingStructure(type: 0x03, data: data).services
        case .unknown(0x15, let data): AdvertisingStructure(type: 0x07, data: data).services
        case .unknown(0x1F, let data): Self.uuids32(data)
        default: []
        }
    }

    private static func uuids32(_ data: [UInt8]) -> [BluetoothUUID] {
        guard data.count.isMultiple(of: 4) else { return [] }
        return stride(from: 0, to: data.count, by: 4).map { uuid32(data[$0..<$0 + 4]) }
    }

    private static func uuid32(_ octets: ArraySlice<UInt8>) -> BluetoothUUID {
        .bit32(octets.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}
