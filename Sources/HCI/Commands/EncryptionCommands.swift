// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Encryption commands (Core 5.4, Vol 4, Part E, 7.8.24 to 7.8.26, 7.8.36 and 7.8.37).
    static let encryption: [any HCICommand.Type] = [
        LEEnableEncryption.self, LELongTermKeyRequestReply.self, LELongTermKeyRequestNegativeReply.self,
        LEReadLocalP256PublicKey.self, LEGenerateDHKey.self, LEGenerateDHKeyVersion2.self,
    ]
}

/// HCI_LE_Enable_Encryption (Core 5.4, Vol 4, Part E, 7.8.24): a central encrypts. EncryptionChange or
/// EncryptionKeyRefreshComplete follows.
package struct LEEnableEncryption: ConnectionCommand, Equatable {
    package static let definition = HCICommandDefinition(0x2019, "LE Enable Encryption", supportedBit: (28, 0))
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// Identifies the key to the peripheral; 0 with LE Secure Connections.
    package let randomNumber: UInt64
    /// Identifies the key to the peripheral; 0 with LE Secure Connections.
    package let encryptedDiversifier: UInt16
    /// The key, least significant byte first.
    package let longTermKey: Octets<16>

    package init(
        connectionHandle: ConnectionHandle, randomNumber: UInt64, encryptedDiversifier: UInt16, longTermKey: Octets<16>
    ) {
        self.connectionHandle = connectionHandle
        self.randomNumber = randomNumber
        self.encryptedDiversifier = encryptedDiversifier
        self.longTermKey = longTermKey
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        randomNumber = try reader.readLittleEndian()
        encryptedDiversifier = try reader.readLittleEndian()
        longTermKey = try Octets<16>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeLittleEndian(randomNumber)
        writer.writeLittleEndian(encryptedDiversifier)
        longTermKey.serialize(into: &writer)
    }
}

/// HCI_LE_Long_Term_Key_Request_Reply (Core 5.4, Vol 4, Part E, 7.8.25): the host of a peripheral provides the key.
package struct LELongTermKeyRequestReply: ConnectionCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x201A, "LE Long Term Key Request Reply", supportedBit: (28, 1))
    package typealias Returned = StatusAndConnectionHandle
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The key, least significant byte first.
    package let longTermKey: Octets<16>

    package init(connectionHandle: ConnectionHandle, longTermKey: Octets<16>) {
        self.connectionHandle = connectionHandle
        self.longTermKey = longTermKey
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        longTermKey = try Octets<16>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        longTermKey.serialize(into: &writer)
    }
}

/// HCI_LE_Long_Term_Key_Request_Negative_Reply (Core 5.4, Vol 4, Part E, 7.8.26): the host of a peripheral has no key.
package struct LELongTermKeyRequestNegativeReply: ConnectionHandleCommand, HCIReturningCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x201B, "LE Long Term Key Request Negative Reply", supportedBit: (28, 2))
    package typealias Returned = StatusAndConnectionHandle
    /// The connection.
    package let connectionHandle: ConnectionHandle

    package init(connectionHandle: ConnectionHandle) {
        self.connectionHandle = connectionHandle
    }
}

/// HCI_LE_Read_Local_P-256_Public_Key (Core 5.4, Vol 4, Part E, 7.8.36): generates a key pair.
/// LEReadLocalP256PublicKeyComplete follows.
package struct LEReadLocalP256PublicKey: HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(
        0x2025, "LE Read Local P-256 Public Key", supportedBit: (34, 1))
    /// The command has no parameters.
    package init() {}
}

/// HCI_LE_Generate_DHKey, version 1 (Core 5.4, Vol 4, Part E, 7.8.37): the secret shared with a peer.
/// LEGenerateDHKeyComplete follows.
package struct LEGenerateDHKey: HCICommand {
    package static let definition = HCICommandDefinition(0x2026, "LE Generate DHKey", supportedBit: (34, 2))
    /// Coordinate of the peer's public key, least significant byte first.
    package let keyXCoordinate: Octets<32>
    /// Coordinate of the peer's public key, least significant byte first.
    package let keyYCoordinate: Octets<32>

    package init(keyXCoordinate: Octets<32>, keyYCoordinate: Octets<32>) {
        self.keyXCoordinate = keyXCoordinate
        self.keyYCoordinate = keyYCoordinate
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        keyXCoordinate = try Octets<32>(parsing: &reader)
        keyYCoordinate = try Octets<32>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        keyXCoordinate.serialize(into: &writer)
        keyYCoordinate.serialize(into: &writer)
    }
}

/// HCI_LE_Generate_DHKey, version 2 (Core 5.4, Vol 4, Part E, 7.8.37): as version 1, with a selectable private key.
/// LEGenerateDHKeyComplete follows.
package struct LEGenerateDHKeyVersion2: HCICommand {
    package static let definition = HCICommandDefinition(0x205E, "LE Generate DHKey [v2]", supportedBit: (41, 2))
    /// Coordinate of the peer's public key, least significant byte first.
    package let keyXCoordinate: Octets<32>
    /// Coordinate of the peer's public key, least significant byte first.
    package let keyYCoordinate: Octets<32>
    /// 0: the key of LEReadLocalP256PublicKey, 1: the public debug key.
    package let keyType: UInt8

    package init(keyXCoordinate: Octets<32>, keyYCoordinate: Octets<32>, keyType: UInt8) {
        self.keyXCoordinate = keyXCoordinate
        self.keyYCoordinate = keyYCoordinate
        self.keyType = keyType
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        keyXCoordinate = try Octets<32>(parsing: &reader)
        keyYCoordinate = try Octets<32>(parsing: &reader)
        keyType = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        keyXCoordinate.serialize(into: &writer)
        keyYCoordinate.serialize(into: &writer)
        writer.write(keyType)
    }
}
