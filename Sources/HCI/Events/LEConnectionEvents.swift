// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Connection_Complete (Core 5.4, Vol 4, Part E, 7.7.65.1): there is a connection, or there will be none.
package struct LEConnectionComplete: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x01
    /// What came of it.
    package let status: HCIStatus
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// This device's part.
    package let role: ConnectionRole
    /// Of the peer.
    package let peerAddressType: AddressType
    /// The peer.
    package let peerAddress: BluetoothAddress
    /// The time between events: 0x0006 to 0x0C80.
    package let connectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    package let peripheralLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// Only told to a peripheral.
    package let centralClockAccuracy: ClockAccuracy

    /// An event of these fields.
    package init(
        status: HCIStatus = .success, connectionHandle: ConnectionHandle, role: ConnectionRole,
        peerAddressType: AddressType, peerAddress: BluetoothAddress, connectionInterval: ConnectionInterval,
        peripheralLatency: UInt16, supervisionTimeout: SupervisionTimeout,
        centralClockAccuracy: ClockAccuracy = .parts500
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.role = role
        self.peerAddressType = peerAddressType
        self.peerAddress = peerAddress
        self.connectionInterval = connectionInterval
        self.peripheralLatency = peripheralLatency
        self.supervisionTimeout = supervisionTimeout
        self.centralClockAccuracy = centralClockAccuracy
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        role = try ConnectionRole(parsing: &reader)
        peerAddressType = try AddressType(parsing: &reader)
        peerAddress = try BluetoothAddress(parsing: &reader)
        connectionInterval = try reader.readTicks()
        peripheralLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
        centralClockAccuracy = try ClockAccuracy(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        role.serialize(into: &writer)
        peerAddressType.serialize(into: &writer)
        peerAddress.serialize(into: &writer)
        writer.writeTicks(connectionInterval)
        writer.writeLittleEndian(peripheralLatency)
        writer.writeTicks(supervisionTimeout)
        centralClockAccuracy.serialize(into: &writer)
    }
}

/// HCI_LE_Enhanced_Connection_Complete, version 1 (Core 5.4, Vol 4, Part E, 7.7.65.10): there is a connection, or
/// there will be none.
package struct LEEnhancedConnectionComplete: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x0A
    /// What came of it.
    package let status: HCIStatus
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// This device's part.
    package let role: ConnectionRole
    /// Of the peer.
    package let peerAddressType: AddressType
    /// The peer.
    package let peerAddress: BluetoothAddress
    /// What this device showed; zero when it showed another address.
    package let localResolvablePrivateAddress: BluetoothAddress
    /// What the peer showed; zero when it showed another address.
    package let peerResolvablePrivateAddress: BluetoothAddress
    /// The time between events: 0x0006 to 0x0C80.
    package let connectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    package let peripheralLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// Only told to a peripheral.
    package let centralClockAccuracy: ClockAccuracy

    /// An event of these fields.
    package init(
        status: HCIStatus = .success, connectionHandle: ConnectionHandle, role: ConnectionRole,
        peerAddressType: AddressType, peerAddress: BluetoothAddress,
        localResolvablePrivateAddress: BluetoothAddress = .zero, peerResolvablePrivateAddress: BluetoothAddress = .zero,
        connectionInterval: ConnectionInterval, peripheralLatency: UInt16, supervisionTimeout: SupervisionTimeout,
        centralClockAccuracy: ClockAccuracy = .parts500
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.role = role
        self.peerAddressType = peerAddressType
        self.peerAddress = peerAddress
        self.localResolvablePrivateAddress = localResolvablePrivateAddress
        self.peerResolvablePrivateAddress = peerResolvablePrivateAddress
        self.connectionInterval = connectionInterval
        self.peripheralLatency = peripheralLatency
        self.supervisionTimeout = supervisionTimeout
        self.centralClockAccuracy = centralClockAccuracy
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        role = try ConnectionRole(parsing: &reader)
        peerAddressType = try AddressType(parsing: &reader)
        peerAddress = try BluetoothAddress(parsing: &reader)
        localResolvablePrivateAddress = try BluetoothAddress(parsing: &reader)
        peerResolvablePrivateAddress = try BluetoothAddress(parsing: &reader)
        connectionInterval = try reader.readTicks()
        peripheralLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
        centralClockAccuracy = try ClockAccuracy(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        role.serialize(into: &writer)
        peerAddressType.serialize(into: &writer)
        peerAddress.serialize(into: &writer)
        localResolvablePrivateAddress.serialize(into: &writer)
        peerResolvablePrivateAddress.serialize(into: &writer)
        writer.writeTicks(connectionInterval)
        writer.writeLittleEndian(peripheralLatency)
        writer.writeTicks(supervisionTimeout)
        centralClockAccuracy.serialize(into: &writer)
    }
}
