// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Enable_Encryption (Core 5.4, Vol 4, Part E, 7.8.24): a central encrypts. EncryptionChange or
/// EncryptionKeyRefreshComplete follows.
package struct LEEnableEncryption: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2019)
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// Names the key to the peripheral; 0 with LE Secure Connections.
    package let randomNumber: UInt64
    /// Names the key to the peripheral; 0 with LE Secure Connections.
    package let encryptedDiversifier: UInt16
    /// The key, least significant octet first.
    package let longTermKey: Octets<16>

    /// A command of these fields.
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

/// HCI_LE_Long_Term_Key_Request_Reply (Core 5.4, Vol 4, Part E, 7.8.25): a peripheral knows the key.
package struct LELongTermKeyRequestReply: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x201A)
    package typealias Returned = StatusAndConnectionHandle
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// The key, least significant octet first.
    package let longTermKey: Octets<16>

    /// A command of these fields.
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

/// HCI_LE_Long_Term_Key_Request_Negative_Reply (Core 5.4, Vol 4, Part E, 7.8.26): a peripheral has no key.
package struct LELongTermKeyRequestNegativeReply: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x201B)
    package typealias Returned = StatusAndConnectionHandle
    /// Which connection.
    package let connectionHandle: ConnectionHandle

    /// A command of these fields.
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

/// HCI_LE_Read_Local_P-256_Public_Key (Core 5.4, Vol 4, Part E, 7.8.36): makes a key pair.
/// LEReadLocalP256PublicKeyComplete follows.
package struct LEReadLocalP256PublicKey: HCIParameterlessCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2025)
    /// The command has no parameters.
    package init() {}
}

/// HCI_LE_Generate_DHKey, version 1 (Core 5.4, Vol 4, Part E, 7.8.37): the secret shared with a peer.
/// LEGenerateDHKeyComplete follows.
package struct LEGenerateDHKey: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2026)
    /// Of the peer's public key, least significant octet first.
    package let keyXCoordinate: Octets<32>
    /// Of the peer's public key, least significant octet first.
    package let keyYCoordinate: Octets<32>

    /// A command of these fields.
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

/// HCI_LE_Generate_DHKey, version 2 (Core 5.4, Vol 4, Part E, 7.8.37): as version 1, with a choice of the own key.
/// LEGenerateDHKeyComplete follows.
package struct LEGenerateDHKeyVersion2: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x205E)
    /// Of the peer's public key, least significant octet first.
    package let keyXCoordinate: Octets<32>
    /// Of the peer's public key, least significant octet first.
    package let keyYCoordinate: Octets<32>
    /// 0 for the key that LEReadLocalP256PublicKey made, 1 for the debug key that everybody knows.
    package let keyType: UInt8

    /// A command of these fields.
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
