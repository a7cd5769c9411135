// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_Read_RSSI (Core 5.4, Vol 4, Part E, 7.5.4): how strongly a peer is heard.
package struct ReadRSSI: HCIReturningCommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x1405)
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
        /// -127 to 20 dBm; 127 when it is not known.
        package let rssi: RSSI

        /// What a command returned.
        package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, rssi: RSSI) {
            self.status = status
            self.connectionHandle = connectionHandle
            self.rssi = rssi
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            status = try HCIStatus(parsing: &reader)
            connectionHandle = try ConnectionHandle(parsing: &reader)
            rssi = RSSI(try reader.readInt8())
        }

        package func serialize(into writer: inout ByteWriter) {
            status.serialize(into: &writer)
            connectionHandle.serialize(into: &writer)
            writer.write(rssi.decibelMilliwatts)
        }
    }
}
