// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Read_PHY (Core 5.4, Vol 4, Part E, 7.8.47): the PHYs of a connection.
package struct LEReadPHY: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2030)
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

    /// What the command returns.
    package struct Returned: WireCodable, Hashable {
        /// What came of the command.
        package let status: HCIStatus
        /// Which connection.
        package let connectionHandle: ConnectionHandle
        /// For sending.
        package let transmitPHY: PHY
        /// For receiving.
        package let receivePHY: PHY

        /// What a command returned.
        package init(
            status: HCIStatus = .success, connectionHandle: ConnectionHandle, transmitPHY: PHY, receivePHY: PHY
        ) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.transmitPHY = transmitPHY
            self.receivePHY = receivePHY
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            transmitPHY = try PHY(parsing: &reader)
            receivePHY = try PHY(parsing: &reader)
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            transmitPHY.serialize(into: &writer)
            receivePHY.serialize(into: &writer)
        }
    }
}

/// HCI_LE_Set_Default_PHY (Core 5.4, Vol 4, Part E, 7.8.48): the PHYs that new connections should have.
package struct LESetDefaultPHY: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2031)
    /// The directions in which any will do.
    package let allPHYs: PHYIndifference
    /// Those for sending.
    package let transmitPHYs: PHYSet
    /// Those for receiving.
    package let receivePHYs: PHYSet

    /// A command of these fields.
    package init(allPHYs: PHYIndifference = [], transmitPHYs: PHYSet, receivePHYs: PHYSet) {
        self.allPHYs = allPHYs
        self.transmitPHYs = transmitPHYs
        self.receivePHYs = receivePHYs
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        allPHYs = try PHYIndifference(parsing: &reader)
        transmitPHYs = try PHYSet(parsing: &reader)
        receivePHYs = try PHYSet(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        allPHYs.serialize(into: &writer)
        transmitPHYs.serialize(into: &writer)
        receivePHYs.serialize(into: &writer)
    }
}

/// HCI_LE_Set_PHY (Core 5.4, Vol 4, Part E, 7.8.49): the PHYs that a connection should have. LEPHYUpdateComplete
/// follows.
package struct LESetPHY: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2032)
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// The directions in which any will do.
    package let allPHYs: PHYIndifference
    /// Those for sending.
    package let transmitPHYs: PHYSet
    /// Those for receiving.
    package let receivePHYs: PHYSet
    /// On LE Coded: 0 any coding, 1 prefer S=2, 2 prefer S=8.
    package let phyOptions: UInt16

    /// A command of these fields.
    package init(
        connectionHandle: ConnectionHandle, allPHYs: PHYIndifference = [], transmitPHYs: PHYSet, receivePHYs: PHYSet,
        phyOptions: UInt16 = 0
    ) {
        self.connectionHandle = connectionHandle
        self.allPHYs = allPHYs
        self.transmitPHYs = transmitPHYs
        self.receivePHYs = receivePHYs
        self.phyOptions = phyOptions
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        allPHYs = try PHYIndifference(parsing: &reader)
        transmitPHYs = try PHYSet(parsing: &reader)
        receivePHYs = try PHYSet(parsing: &reader)
        phyOptions = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        allPHYs.serialize(into: &writer)
        transmitPHYs.serialize(into: &writer)
        receivePHYs.serialize(into: &writer)
        writer.writeLittleEndian(phyOptions)
    }
}
