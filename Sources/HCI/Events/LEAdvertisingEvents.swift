// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// HCI_LE_Scan_Timeout (Core 5.4, Vol 4, Part E, 7.7.65.17): scanning ended after its duration.
public struct LEScanTimeout: LEMetaEvent, Hashable {
    public static let subeventCode: UInt8 = 0x11
    /// The event has no parameters.
    public init() {}
    public init(parsingFields reader: inout ByteReader) throws(WireError) {}
    public func serializeFields(into writer: inout ByteWriter) {}
}

/// HCI_LE_Advertising_Set_Terminated (Core 5.4, Vol 4, Part E, 7.7.65.18): a set is not sent any more.
public struct LEAdvertisingSetTerminated: LEMetaEvent, Hashable {
    public static let subeventCode: UInt8 = 0x12
    /// `.success`: a connection; `.advertisingTimeout`: its duration; `.limitReached`: its events.
    public let status: HCIStatus
    /// The advertising set: 0x00 to 0xEF.
    public let advertisingHandle: UInt8
    /// The connection; meaningless without one.
    public let connectionHandle: ConnectionHandle
    /// How many events were sent, when the host set a limit.
    public let completedExtendedAdvertisingEvents: UInt8

    /// An event of these fields.
    public init(
        status: HCIStatus = .success, advertisingHandle: UInt8,
        connectionHandle: ConnectionHandle = ConnectionHandle(0), completedExtendedAdvertisingEvents: UInt8 = 0
    ) {
        self.status = status
        self.advertisingHandle = advertisingHandle
        self.connectionHandle = connectionHandle
        self.completedExtendedAdvertisingEvents = completedExtendedAdvertisingEvents
    }

    public init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        advertisingHandle = try reader.readUInt8()
        connectionHandle = try ConnectionHandle(parsing: &reader)
        completedExtendedAdvertisingEvents = try reader.readUInt8()
    }

    public func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        writer.write(advertisingHandle)
        connectionHandle.serialize(into: &writer)
        writer.write(completedExtendedAdvertisingEvents)
    }
}

/// HCI_LE_Scan_Request_Received (Core 5.4, Vol 4, Part E, 7.7.65.19): a scanner asked for a scan response.
public struct LEScanRequestReceived: LEMetaEvent, Hashable {
    public static let subeventCode: UInt8 = 0x13
    /// The advertising set: 0x00 to 0xEF.
    public let advertisingHandle: UInt8
    /// Of the scanner.
    public let scannerAddressType: AddressType
    /// The scanner.
    public let scannerAddress: BluetoothAddress

    /// An event of these fields.
    public init(advertisingHandle: UInt8, scannerAddressType: AddressType, scannerAddress: BluetoothAddress) {
        self.advertisingHandle = advertisingHandle
        self.scannerAddressType = scannerAddressType
        self.scannerAddress = scannerAddress
    }

    public init(parsingFields reader: inout ByteReader) throws(WireError) {
        advertisingHandle = try reader.readUInt8()
        scannerAddressType = try AddressType(parsing: &reader)
        scannerAddress = try BluetoothAddress(parsing: &reader)
    }

    public func serializeFields(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
        scannerAddressType.serialize(into: &writer)
        scannerAddress.serialize(into: &writer)
    }
}
