// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCIEvents {
    /// Events about finding and connecting to BR/EDR devices (Core 5.4, Vol 4, Part E, 7.7).
    static let classic: [any HCIEvent.Type] = [
        InquiryComplete.self, ConnectionComplete.self, RemoteNameRequestComplete.self,
    ]
}

/// HCI_Inquiry_Complete (Core 5.4, Vol 4, Part E, 7.7.1): an inquiry has ended.
package struct InquiryComplete: HCIEvent {
    package static let eventCode: UInt8 = 0x01
    /// The HCI status.
    package let status: HCIStatus

    package init(status: HCIStatus = .success) { self.status = status }

    package init(parsing reader: inout ByteReader) throws(WireError) { status = try HCIStatus(parsing: &reader) }
    package func serialize(into writer: inout ByteWriter) { status.serialize(into: &writer) }
}

/// HCI_Connection_Complete (Core 5.4, Vol 4, Part E, 7.7.3): an attempt to connect to a BR/EDR device has ended.
package struct ConnectionComplete: HCIEvent {
    package static let eventCode: UInt8 = 0x03
    /// The HCI status.
    package let status: HCIStatus
    /// The connection; not valid after a failure.
    package let connectionHandle: ConnectionHandle
    /// The peer.
    package let address: BluetoothAddress
    /// 0 synchronous, 1 ACL.
    package let linkType: UInt8
    /// 0 off, 1 on.
    package let encryptionEnabled: UInt8

    package init(
        status: HCIStatus = .success, connectionHandle: ConnectionHandle, address: BluetoothAddress,
        linkType: UInt8 = 1, encryptionEnabled: UInt8 = 0
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.address = address
        self.linkType = linkType
        self.encryptionEnabled = encryptionEnabled
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        address = try BluetoothAddress(parsing: &reader)
        linkType = try reader.readUInt8()
        encryptionEnabled = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        address.serialize(into: &writer)
        writer.write(linkType)
        writer.write(encryptionEnabled)
    }
}

/// HCI_Remote_Name_Request_Complete (Core 5.4, Vol 4, Part E, 7.7.7): the name of a BR/EDR device.
package struct RemoteNameRequestComplete: HCIEvent {
    package static let eventCode: UInt8 = 0x07
    /// The HCI status.
    package let status: HCIStatus
    /// The peer.
    package let address: BluetoothAddress
    /// The name in UTF-8, terminated by a zero byte if it is shorter than 248 bytes.
    package let name: Octets<248>

    package init(status: HCIStatus = .success, address: BluetoothAddress, name: Octets<248> = .zero) {
        self.status = status
        self.address = address
        self.name = name
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        address = try BluetoothAddress(parsing: &reader)
        name = try Octets<248>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        address.serialize(into: &writer)
        name.serialize(into: &writer)
    }
}
