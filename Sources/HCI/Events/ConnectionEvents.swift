// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCIEvents {
    /// Events about connections (Core 5.4, Vol 4, Part E, 7.7).
    static let connections: [any HCIEvent.Type] = [
        DisconnectionComplete.self, EncryptionChange.self, ReadRemoteVersionInformationComplete.self,
        EncryptionKeyRefreshComplete.self, AuthenticatedPayloadTimeoutExpired.self,
    ]
}

/// HCI_Disconnection_Complete (Core 5.4, Vol 4, Part E, 7.7.5): a connection ended.
package struct DisconnectionComplete: HCIEvent {
    package static let eventCode: UInt8 = 0x05
    /// The HCI status of the disconnection.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// Why the connection ended.
    package let reason: HCIStatus

    package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, reason: HCIStatus) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.reason = reason
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        reason = try HCIStatus(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        reason.serialize(into: &writer)
    }
}

/// HCI_Encryption_Change, version 1 (Core 5.4, Vol 4, Part E, 7.7.8): encryption was enabled or disabled.
package struct EncryptionChange: HCIEvent {
    package static let eventCode: UInt8 = 0x08
    /// The HCI status.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// 0 off, 1 on.
    package let encryptionEnabled: UInt8

    package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, encryptionEnabled: UInt8) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.encryptionEnabled = encryptionEnabled
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        encryptionEnabled = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        writer.write(encryptionEnabled)
    }
}

/// HCI_Read_Remote_Version_Information_Complete (Core 5.4, Vol 4, Part E, 7.7.12): the version of a peer.
package struct ReadRemoteVersionInformationComplete: HCIEvent {
    package static let eventCode: UInt8 = 0x0C
    /// The HCI status.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// Version of the peer's link layer or link manager.
    package let version: CoreVersion
    /// The manufacturer.
    package let companyIdentifier: CompanyIdentifier
    /// The manufacturer's version number.
    package let subversion: UInt16

    package init(
        status: HCIStatus = .success, connectionHandle: ConnectionHandle, version: CoreVersion,
        companyIdentifier: CompanyIdentifier, subversion: UInt16
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.version = version
        self.companyIdentifier = companyIdentifier
        self.subversion = subversion
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        version = try CoreVersion(parsing: &reader)
        companyIdentifier = CompanyIdentifier(try reader.readLittleEndian())
        subversion = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        version.serialize(into: &writer)
        writer.writeLittleEndian(companyIdentifier.rawValue)
        writer.writeLittleEndian(subversion)
    }
}

/// HCI_Encryption_Key_Refresh_Complete (Core 5.4, Vol 4, Part E, 7.7.39): the encryption key of a connection was refreshed.
package struct EncryptionKeyRefreshComplete: HCIEvent {
    package static let eventCode: UInt8 = 0x30
    /// The HCI status.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle

    package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle) {
        self.status = status
        self.connectionHandle = connectionHandle
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
    }
}

/// HCI_Authenticated_Payload_Timeout_Expired (Core 5.4, Vol 4, Part E, 7.7.75): the time between authenticated
/// packets of an encrypted connection exceeded its limit.
package struct AuthenticatedPayloadTimeoutExpired: HCIEvent {
    package static let eventCode: UInt8 = 0x57
    /// The connection.
    package let connectionHandle: ConnectionHandle

    package init(connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
    }
}
