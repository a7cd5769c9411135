// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCIEvents {
    /// LE meta events about keys (Core 5.4, Vol 4, Part E, 7.7.65).
    static let security: [any HCIEvent.Type] = [
        LELongTermKeyRequest.self, LEReadLocalP256PublicKeyComplete.self, LEGenerateDHKeyComplete.self,
    ]
}

/// HCI_LE_Long_Term_Key_Request (Core 5.4, Vol 4, Part E, 7.7.65.5): a central starts encryption.
package struct LELongTermKeyRequest: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x05
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// Identifies the key; 0 with LE Secure Connections.
    package let randomNumber: UInt64
    /// Identifies the key; 0 with LE Secure Connections.
    package let encryptedDiversifier: UInt16

    package init(connectionHandle: ConnectionHandle, randomNumber: UInt64, encryptedDiversifier: UInt16) {
        self.connectionHandle = connectionHandle
        self.randomNumber = randomNumber
        self.encryptedDiversifier = encryptedDiversifier
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        randomNumber = try reader.readLittleEndian()
        encryptedDiversifier = try reader.readLittleEndian()
    }

    package func serializeFields(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeLittleEndian(randomNumber)
        writer.writeLittleEndian(encryptedDiversifier)
    }
}

/// HCI_LE_Read_Local_P-256_Public_Key_Complete (Core 5.4, Vol 4, Part E, 7.7.65.8): a key pair was generated.
package struct LEReadLocalP256PublicKeyComplete: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x08
    /// The HCI status.
    package let status: HCIStatus
    /// Coordinate of the public key, least significant byte first.
    package let keyXCoordinate: Octets<32>
    /// Coordinate of the public key, least significant byte first.
    package let keyYCoordinate: Octets<32>

    package init(status: HCIStatus = .success, keyXCoordinate: Octets<32>, keyYCoordinate: Octets<32>) {
        self.status = status
        self.keyXCoordinate = keyXCoordinate
        self.keyYCoordinate = keyYCoordinate
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        keyXCoordinate = try Octets<32>(parsing: &reader)
        keyYCoordinate = try Octets<32>(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        keyXCoordinate.serialize(into: &writer)
        keyYCoordinate.serialize(into: &writer)
    }
}

/// HCI_LE_Generate_DHKey_Complete (Core 5.4, Vol 4, Part E, 7.7.65.9): a shared secret was computed.
package struct LEGenerateDHKeyComplete: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x09
    /// The HCI status.
    package let status: HCIStatus
    /// Least significant byte first; all 0xFF on failure.
    package let dhKey: Octets<32>

    package init(status: HCIStatus = .success, dhKey: Octets<32>) {
        self.status = status
        self.dhKey = dhKey
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        dhKey = try Octets<32>(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        dhKey.serialize(into: &writer)
    }
}
