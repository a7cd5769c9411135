// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCIEvents {
    /// LE meta events about connections (Core 5.4, Vol 4, Part E, 7.7.65).
    static let lowEnergyConnections: [any HCIEvent.Type] = [
        LEConnectionComplete.self, LEEnhancedConnectionComplete.self, LEConnectionUpdateComplete.self,
        LEReadRemoteFeaturesComplete.self, LERemoteConnectionParameterRequest.self, LEDataLengthChange.self,
        LEPHYUpdateComplete.self, LEChannelSelectionAlgorithm.self,
    ]
}

/// HCI_LE_Connection_Complete (Core 5.4, Vol 4, Part E, 7.7.65.1): a connection was created, or failed.
package struct LEConnectionComplete: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x01
    /// The HCI status.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// This device's role.
    package let role: ConnectionRole
    /// Address type of the peer.
    package let peerAddressType: AddressType
    /// The peer.
    package let peerAddress: BluetoothAddress
    /// The connection interval, in units of 1.25 ms: 0x0006 to 0x0C80.
    package let connectionInterval: ConnectionInterval
    /// Connection events that the peripheral may skip: 0 to 499.
    package let peripheralLatency: UInt16
    /// The supervision timeout, in units of 10 ms: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// The accuracy of the central's clock; valid on a peripheral only.
    package let centralClockAccuracy: ClockAccuracy

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

/// HCI_LE_Enhanced_Connection_Complete, version 1 (Core 5.4, Vol 4, Part E, 7.7.65.10): a connection was created,
/// or failed.
package struct LEEnhancedConnectionComplete: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x0A
    /// The HCI status.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// This device's role.
    package let role: ConnectionRole
    /// Address type of the peer.
    package let peerAddressType: AddressType
    /// The peer.
    package let peerAddress: BluetoothAddress
    /// This device's resolvable private address; zero if this device used another address.
    package let localResolvablePrivateAddress: BluetoothAddress
    /// The peer's resolvable private address; zero if the peer used another address.
    package let peerResolvablePrivateAddress: BluetoothAddress
    /// The connection interval, in units of 1.25 ms: 0x0006 to 0x0C80.
    package let connectionInterval: ConnectionInterval
    /// Connection events that the peripheral may skip: 0 to 499.
    package let peripheralLatency: UInt16
    /// The supervision timeout, in units of 10 ms: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout
    /// The accuracy of the central's clock; valid on a peripheral only.
    package let centralClockAccuracy: ClockAccuracy

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

/// HCI_LE_Connection_Update_Complete (Core 5.4, Vol 4, Part E, 7.7.65.3): the new parameters of a connection.
package struct LEConnectionUpdateComplete: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x03
    /// The HCI status.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The connection interval, in units of 1.25 ms: 0x0006 to 0x0C80.
    package let connectionInterval: ConnectionInterval
    /// Connection events that the peripheral may skip: 0 to 499.
    package let peripheralLatency: UInt16
    /// The supervision timeout, in units of 10 ms: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout

    package init(
        status: HCIStatus = .success, connectionHandle: ConnectionHandle, connectionInterval: ConnectionInterval,
        peripheralLatency: UInt16, supervisionTimeout: SupervisionTimeout
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.connectionInterval = connectionInterval
        self.peripheralLatency = peripheralLatency
        self.supervisionTimeout = supervisionTimeout
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        connectionInterval = try reader.readTicks()
        peripheralLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        writer.writeTicks(connectionInterval)
        writer.writeLittleEndian(peripheralLatency)
        writer.writeTicks(supervisionTimeout)
    }
}

/// HCI_LE_Read_Remote_Features_Complete (Core 5.4, Vol 4, Part E, 7.7.65.4): the features of a peer.
package struct LEReadRemoteFeaturesComplete: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x04
    /// The HCI status.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The LE features of the peer, one bit each.
    package let features: LEFeatures

    package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, features: LEFeatures) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.features = features
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        features = try LEFeatures(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        features.serialize(into: &writer)
    }
}

/// HCI_LE_Remote_Connection_Parameter_Request (Core 5.4, Vol 4, Part E, 7.7.65.6): a peer requests other
/// connection parameters.
package struct LERemoteConnectionParameterRequest: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x06
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The shortest connection interval, in units of 1.25 ms: 0x0006 to 0x0C80.
    package let minimumConnectionInterval: ConnectionInterval
    /// The longest connection interval, in units of 1.25 ms: 0x0006 to 0x0C80.
    package let maximumConnectionInterval: ConnectionInterval
    /// Connection events that the peripheral may skip: 0 to 499.
    package let maximumLatency: UInt16
    /// The supervision timeout, in units of 10 ms: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout

    package init(
        connectionHandle: ConnectionHandle, minimumConnectionInterval: ConnectionInterval,
        maximumConnectionInterval: ConnectionInterval, maximumLatency: UInt16, supervisionTimeout: SupervisionTimeout
    ) {
        self.connectionHandle = connectionHandle
        self.minimumConnectionInterval = minimumConnectionInterval
        self.maximumConnectionInterval = maximumConnectionInterval
        self.maximumLatency = maximumLatency
        self.supervisionTimeout = supervisionTimeout
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        minimumConnectionInterval = try reader.readTicks()
        maximumConnectionInterval = try reader.readTicks()
        maximumLatency = try reader.readLittleEndian()
        supervisionTimeout = try reader.readTicks()
    }

    package func serializeFields(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeTicks(minimumConnectionInterval)
        writer.writeTicks(maximumConnectionInterval)
        writer.writeLittleEndian(maximumLatency)
        writer.writeTicks(supervisionTimeout)
    }
}

/// HCI_LE_Data_Length_Change (Core 5.4, Vol 4, Part E, 7.7.65.7): the data length of a connection changed.
package struct LEDataLengthChange: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x07
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The maximum payload of a transmitted packet in bytes: 27 to 251.
    package let maximumTransmitOctets: UInt16
    /// The maximum duration of a transmitted packet in microseconds: 328 to 17,040.
    package let maximumTransmitTime: Microseconds
    /// The maximum payload of a received packet in bytes: 27 to 251.
    package let maximumReceiveOctets: UInt16
    /// The maximum duration of a received packet in microseconds: 328 to 17,040.
    package let maximumReceiveTime: Microseconds

    package init(
        connectionHandle: ConnectionHandle, maximumTransmitOctets: UInt16, maximumTransmitTime: Microseconds,
        maximumReceiveOctets: UInt16, maximumReceiveTime: Microseconds
    ) {
        self.connectionHandle = connectionHandle
        self.maximumTransmitOctets = maximumTransmitOctets
        self.maximumTransmitTime = maximumTransmitTime
        self.maximumReceiveOctets = maximumReceiveOctets
        self.maximumReceiveTime = maximumReceiveTime
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        maximumTransmitOctets = try reader.readLittleEndian()
        maximumTransmitTime = try reader.readTicks()
        maximumReceiveOctets = try reader.readLittleEndian()
        maximumReceiveTime = try reader.readTicks()
    }

    package func serializeFields(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeLittleEndian(maximumTransmitOctets)
        writer.writeTicks(maximumTransmitTime)
        writer.writeLittleEndian(maximumReceiveOctets)
        writer.writeTicks(maximumReceiveTime)
    }
}

/// HCI_LE_PHY_Update_Complete (Core 5.4, Vol 4, Part E, 7.7.65.12): the PHYs of a connection.
package struct LEPHYUpdateComplete: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x0C
    /// The HCI status.
    package let status: HCIStatus
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The PHY for transmitted packets.
    package let transmitPHY: PHY
    /// The PHY for received packets.
    package let receivePHY: PHY

    package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, transmitPHY: PHY, receivePHY: PHY) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.transmitPHY = transmitPHY
        self.receivePHY = receivePHY
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
        transmitPHY = try PHY(parsing: &reader)
        receivePHY = try PHY(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
        transmitPHY.serialize(into: &writer)
        receivePHY.serialize(into: &writer)
    }
}

/// HCI_LE_Channel_Selection_Algorithm (Core 5.4, Vol 4, Part E, 7.7.65.20): the channel selection algorithm of a connection.
package struct LEChannelSelectionAlgorithm: LEMetaEvent {
    package static let subeventCode: UInt8 = 0x14
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// Channel selection algorithm #1 or #2.
    package let algorithm: ChannelSelectionAlgorithm

    package init(connectionHandle: ConnectionHandle, algorithm: ChannelSelectionAlgorithm) {
        self.connectionHandle = connectionHandle
        self.algorithm = algorithm
    }

    package init(parsingFields reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        algorithm = try ChannelSelectionAlgorithm(parsing: &reader)
    }

    package func serializeFields(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        algorithm.serialize(into: &writer)
    }
}
