// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore
public import Radio

/// What a device advertises: its last advertisement, and its last scan response if it was heard.
public struct ReceivedAdvertisement: Hashable, Sendable {
    /// What it advertises. Where the radio does not tell PDUs apart, all that it told is here.
    public private(set) var advertisingData = AdvertisingData()
    /// What it answers who asks for more; `nil` when that was not heard.
    public private(set) var scanResponse: AdvertisingData?
    /// The PDU type of its last advertisement, which is never a scan response; `nil` when the radio does not tell.
    public private(set) var pdu: Sighting.PDU?
    /// How strongly it was heard last; `nil` when the radio does not know.
    public private(set) var rssi: RSSI?
    /// When it was heard last: the time since its `Central` was made.
    public private(set) var time: Duration
    /// Grows when something new is heard.
    private(set) var version: UInt64 = 0
    private var heardData: [UInt8] = []
    private var heardResponse: [UInt8]?

    /// What is known after one sighting.
    public init(_ sighting: Sighting, at time: Duration) {
        self.time = time
        take(sighting, at: time)
    }

    /// Takes what was heard of the same device later.
    public mutating func take(_ sighting: Sighting, at time: Duration) {
        self.time = time
        rssi = sighting.rssi
        switch sighting.pdu {
        case .scanResponse, .extendedScanResponse:
            guard heardResponse != sighting.data else { return }
            heardResponse = sighting.data
            scanResponse = Self.parse(sighting.data)
        default:
            guard heardData != sighting.data || pdu != sighting.pdu else { return }
            pdu = sighting.pdu
            heardData = sighting.data
            advertisingData = Self.parse(sighting.data)
        }
        version += 1
    }

    /// What can be read of data that need not be well-formed.
    private static func parse(_ data: [UInt8]) -> AdvertisingData {
        var reader = ByteReader(data)
        return AdvertisingData.parsePrefix(of: &reader).0
    }
}

extension ReceivedAdvertisement {
    /// The structures of the advertisement and then those of the scan response.
    public var structures: [AdvertisingStructure] {
        advertisingData.structures + (scanResponse?.structures ?? [])
    }

    /// Its name, complete or shortened.
    public var localName: String? { advertisingData.localName ?? scanResponse?.localName }

    /// The services that it says it has.
    public var serviceUUIDs: [BluetoothUUID] {
        structures.flatMap { structure -> [BluetoothUUID] in
            switch structure {
            case .serviceUUIDs16(let uuids, _): uuids.map(BluetoothUUID.bit16)
            case .serviceUUIDs128(let uuids, _): uuids.map(BluetoothUUID.bit128)
            case .unknown(let type, let data) where type == 0x04 || type == 0x05: Self.uuids32(data)
            default: []
            }
        }
    }

    /// The iBeacon that it is, if it is one.
    public var iBeacon: IBeacon? {
        for structure in structures { if let beacon = IBeacon(structure) { return beacon } }
        return nil
    }

    /// The power that it says it radiates.
    public var transmitPower: TransmitPower? {
        for case .transmitPower(let power) in structures { return power }
        return nil
    }

    /// Whether it takes connections; `nil` when the radio does not tell.
    public var isConnectable: Bool? {
        switch pdu {
        case .connectableScannable, .directed: true
        case .scannable, .nonConnectable: false
        default: nil
        }
    }

    /// Types 0x04 and 0x05: four octets each, little-endian.
    private static func uuids32(_ data: [UInt8]) -> [BluetoothUUID] {
        var reader = ByteReader(data)
        var uuids: [BluetoothUUID] = []
        while let uuid: UInt32 = try? reader.readLittleEndian() { uuids.append(.bit32(uuid)) }
        return uuids
    }
}
