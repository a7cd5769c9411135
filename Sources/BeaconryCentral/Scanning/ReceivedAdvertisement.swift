// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import Bluetooth
import Radio

/// What a device advertises: its latest advertisement, and its latest scan response, if any was received.
public struct ReceivedAdvertisement: Hashable, Sendable {
    /// The advertising data. If the radio does not distinguish PDUs, it includes the scan response.
    public private(set) var advertisingData = AdvertisingData()
    /// The scan response; `nil` if none was received.
    public private(set) var scanResponse: AdvertisingData?
    /// The PDU type of its latest advertisement, which is never a scan response; `nil` if the radio does not report it.
    public private(set) var pdu: Sighting.PDU?
    /// The latest RSSI; `nil` if the radio does not report it.
    public private(set) var rssi: RSSI?
    /// When it was last received: the time since its `Central` was created.
    public private(set) var time: Duration
    /// The number of changes of the data.
    private(set) var version: UInt64 = 0
    private var receivedData: [UInt8] = []
    private var receivedResponse: [UInt8]?

    /// The advertisement of one sighting.
    public init(_ sighting: Sighting, at time: Duration) {
        self.time = time
        take(sighting, at: time)
    }

    /// Takes a later sighting of the same device.
    public mutating func take(_ sighting: Sighting, at time: Duration) {
        self.time = time
        rssi = sighting.rssi
        switch sighting.pdu {
        case .scanResponse, .extendedScanResponse:
            guard receivedResponse != sighting.data else { return }
            receivedResponse = sighting.data
            scanResponse = AdvertisingData.prefix(of: sighting.data).data
        default:
            guard receivedData != sighting.data || pdu != sighting.pdu else { return }
            pdu = sighting.pdu
            receivedData = sighting.data
            advertisingData = AdvertisingData.prefix(of: sighting.data).data
        }
        version += 1
    }

}

extension ReceivedAdvertisement {
    /// The structures of the advertisement, followed by the structures of the scan response.
    public var structures: [AdvertisingStructure] {
        advertisingData.structures + (scanResponse?.structures ?? [])
    }

    /// Its name, complete or shortened.
    public var localName: String? { advertisingData.localName ?? scanResponse?.localName }

    /// The services that it advertises.
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

    /// The iBeacon frame; `nil` if there is none.
    public var iBeacon: IBeacon? {
        for structure in structures { if let beacon = IBeacon(structure) { return beacon } }
        return nil
    }

    /// The transmit power that it advertises.
    public var transmitPower: TransmitPower? {
        for case .transmitPower(let power) in structures { return power }
        return nil
    }

    /// Whether it is connectable; `nil` if the radio does not report it.
    public var isConnectable: Bool? {
        switch pdu {
        case .connectableScannable, .directed: true
        case .scannable, .nonConnectable: false
        default: nil
        }
    }

    /// AD types 0x04 and 0x05: four bytes each, little-endian.
    private static func uuids32(_ data: [UInt8]) -> [BluetoothUUID] {
        var reader = ByteReader(data)
        var uuids: [BluetoothUUID] = []
        while let uuid: UInt32 = try? reader.readLittleEndian() { uuids.append(.bit32(uuid)) }
        return uuids
    }
}
