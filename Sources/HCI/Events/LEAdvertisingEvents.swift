// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Scan_Timeout (Core 5.4, Vol 4, Part E, 7.7.65.17): scanning ended after its duration.
package struct LEScanTimeout: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x11
    /// The event has no parameters.
    package init() {}
    package init(parsingFields reader: inout ByteReader) throws(WireError) {}
    package func serializeFields(into writer: inout ByteWriter) {}
}

/// HCI_LE_Advertising_Set_Terminated (Core 5.4, Vol 4, Part E, 7.7.65.18): a set is not sent any more.
package struct LEAdvertisingSetTerminated: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x12
    /// `.success`: a connection; `.advertisingTimeout`: its duration; `.limitReached`: its events.
    package let status: HCIStatus
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8
    /// The connection; meaningless without one.
    package let connectionHandle: ConnectionHandle
    /// How many events were sent, when the host set a limit.
    package let completedExtendedAdvertisingEvents: UInt8

    /// An event of these fields.
    package init(
        status: HCIStatus = .success, advertisingHandle: UInt8,
        connectionHandle: ConnectionHandle = ConnectionHandle(0), completedExtendedAdvertisingEvents: UInt8 = 0
    ) {
        self.status = status
        self.advertisingHandle = advertisingHandle
        self.connectionHandle = connectionHandle
        self.completedExtendedAdvertisingEvents = completedExtendedAdvertisingEvents
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        advertisingHandle = try reader.readUInt8()
        connectionHandle = try ConnectionHandle(parsing: &reader)
        completedExtendedAdvertisingEvents = try reader.readUInt8()
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        writer.write(advertisingHandle)
        connectionHandle.serialize(into: &writer)
        writer.write(completedExtendedAdvertisingEvents)
    }
}

/// HCI_LE_Scan_Request_Received (Core 5.4, Vol 4, Part E, 7.7.65.19): a scanner asked for a scan response.
package struct LEScanRequestReceived: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x13
    /// The advertising set: 0x00 to 0xEF.
    package let advertisingHandle: UInt8
    /// Of the scanner.
    package let scannerAddressType: AddressType
    /// The scanner.
    package let scannerAddress: BluetoothAddress

    /// An event of these fields.
    package init(advertisingHandle: UInt8, scannerAddressType: AddressType, scannerAddress: BluetoothAddress) {
        self.advertisingHandle = advertisingHandle
        self.scannerAddressType = scannerAddressType
        self.scannerAddress = scannerAddress
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        advertisingHandle = try reader.readUInt8()
        scannerAddressType = try AddressType(parsing: &reader)
        scannerAddress = try BluetoothAddress(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        writer.write(advertisingHandle)
        scannerAddressType.serialize(into: &writer)
        scannerAddress.serialize(into: &writer)
    }
}
