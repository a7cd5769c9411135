// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Connection_Update_Complete (Core 5.4, Vol 4, Part E, 7.7.65.3): a connection has these parameters.
package struct LEConnectionUpdateComplete: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x03
    /// What came of it.
    package let status: HCIStatus
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// The time between events: 0x0006 to 0x0C80.
    package let connectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    package let peripheralLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout

    /// An event of these fields.
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

/// HCI_LE_Read_Remote_Features_Complete (Core 5.4, Vol 4, Part E, 7.7.65.4): what a peer can do.
package struct LEReadRemoteFeaturesComplete: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x04
    /// What came of it.
    package let status: HCIStatus
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// A bit each.
    package let features: LEFeatures

    /// An event of these fields.
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

/// HCI_LE_Remote_Connection_Parameter_Request (Core 5.4, Vol 4, Part E, 7.7.65.6): a peer asks for other
/// parameters.
package struct LERemoteConnectionParameterRequest: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x06
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// The shortest interval: 0x0006 to 0x0C80.
    package let minimumConnectionInterval: ConnectionInterval
    /// The longest interval: 0x0006 to 0x0C80.
    package let maximumConnectionInterval: ConnectionInterval
    /// How many events the peripheral may leave out: 0 to 499.
    package let maximumLatency: UInt16
    /// When a silent connection is lost: 0x000A to 0x0C80.
    package let supervisionTimeout: SupervisionTimeout

    /// An event of these fields.
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

/// HCI_LE_Data_Length_Change (Core 5.4, Vol 4, Part E, 7.7.65.7): the packets of a connection have another
/// length.
package struct LEDataLengthChange: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x07
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// Of payload: 27 to 251.
    package let maximumTransmitOctets: UInt16
    /// Of a packet: 328 to 17,040.
    package let maximumTransmitTime: Microseconds
    /// Of payload: 27 to 251.
    package let maximumReceiveOctets: UInt16
    /// Of a packet: 328 to 17,040.
    package let maximumReceiveTime: Microseconds

    /// An event of these fields.
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

/// HCI_LE_PHY_Update_Complete (Core 5.4, Vol 4, Part E, 7.7.65.12): a connection has these PHYs.
package struct LEPHYUpdateComplete: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x0C
    /// What came of it.
    package let status: HCIStatus
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// For sending.
    package let transmitPHY: PHY
    /// For receiving.
    package let receivePHY: PHY

    /// An event of these fields.
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

/// HCI_LE_Channel_Selection_Algorithm (Core 5.4, Vol 4, Part E, 7.7.65.20): how a connection hops.
package struct LEChannelSelectionAlgorithm: LEMetaEvent, Hashable {
    package static let subeventCode: UInt8 = 0x14
    /// Which connection.
    package let connectionHandle: ConnectionHandle
    /// One of two.
    package let algorithm: ChannelSelectionAlgorithm

    /// An event of these fields.
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
