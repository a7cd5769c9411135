// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// HCI_LE_Extended_Create_Connection, version 1 (Core 5.4, Vol 4, Part E, 7.8.66): connects.
/// LEEnhancedConnectionComplete or LEConnectionComplete follows.
package struct LEExtendedCreateConnection: HCICommand, Hashable {
    package static let opcode = HCIOpcode(rawValue: 0x2043)

    /// How to connect on one PHY.
    package struct Parameters: WireCodable, Hashable {
        /// From the start of a window to the next: 0x0004 to 0xFFFF.
        package let scanInterval: ScanTime
        /// How long a window is: 0x0004 to 0xFFFF, at most the interval.
        package let scanWindow: ScanTime
        /// The shortest interval: 0x0006 to 0x0C80.
        package let minimumConnectionInterval: ConnectionInterval
        /// The longest interval: 0x0006 to 0x0C80.
        package let maximumConnectionInterval: ConnectionInterval
        /// How many events the peripheral may leave out: 0 to 499.
        package let maximumLatency: UInt16
        /// When a silent connection is lost: 0x000A to 0x0C80.
        package let supervisionTimeout: SupervisionTimeout
        /// A hint.
        package let minimumEventLength: ConnectionEventLength
        /// A hint.
        package let maximumEventLength: ConnectionEventLength

        /// These fields.
        package init(
            scanInterval: ScanTime, scanWindow: ScanTime, minimumConnectionInterval: ConnectionInterval,
            maximumConnectionInterval: ConnectionInterval, maximumLatency: UInt16 = 0,
            supervisionTimeout: SupervisionTimeout,
            minimumEventLength: ConnectionEventLength = ConnectionEventLength(0),
            maximumEventLength: ConnectionEventLength = ConnectionEventLength(0)
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.minimumConnectionInterval = minimumConnectionInterval
            self.maximumConnectionInterval = maximumConnectionInterval
            self.maximumLatency = maximumLatency
            self.supervisionTimeout = supervisionTimeout
            self.minimumEventLength = minimumEventLength
            self.maximumEventLength = maximumEventLength
        }

        package init(parsing reader: inout ByteReader) throws(WireError) {
            scanInterval = try reader.readTicks()
            scanWindow = try reader.readTicks()
            minimumConnectionInterval = try reader.readTicks()
            maximumConnectionInterval = try reader.readTicks()
            maximumLatency = try reader.readLittleEndian()
            supervisionTimeout = try reader.readTicks()
            minimumEventLength = try reader.readTicks()
            maximumEventLength = try reader.readTicks()
        }

        package func serialize(into writer: inout ByteWriter) {
            writer.writeTicks(scanInterval)
            writer.writeTicks(scanWindow)
            writer.writeTicks(minimumConnectionInterval)
            writer.writeTicks(maximumConnectionInterval)
            writer.writeLittleEndian(maximumLatency)
            writer.writeTicks(supervisionTimeout)
            writer.writeTicks(minimumEventLength)
            writer.writeTicks(maximumEventLength)
        }
    }

    /// To whom.
    package let initiatorFilterPolicy: InitiatorFilterPolicy
    /// The central's address.
    package let ownAddressType: OwnAddressType
    /// Of the peer; ignored where the filter accept list decides.
    package let peerAddressType: AddressType
    /// The peer; ignored where the filter accept list decides.
    package let peerAddress: BluetoothAddress
    /// On which PHYs to look for the peer, and for which there are connection parameters.
    package let initiatingPHYs: PHYSet
    /// One for each bit of `initiatingPHYs`, lowest bit first.
    package let parameters: [Parameters]

    /// A command of these fields.
    package init(
        initiatorFilterPolicy: InitiatorFilterPolicy = .peerAddress, ownAddressType: OwnAddressType = .public,
        peerAddressType: AddressType = .public, peerAddress: BluetoothAddress = .zero,
        initiatingPHYs: PHYSet = .oneMegabit, parameters: [Parameters]
    ) {
        self.initiatorFilterPolicy = initiatorFilterPolicy
        self.ownAddressType = ownAddressType
        self.peerAddressType = peerAddressType
        self.peerAddress = peerAddress
        self.initiatingPHYs = initiatingPHYs
        self.parameters = parameters
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        initiatorFilterPolicy = try InitiatorFilterPolicy(parsing: &reader)
        ownAddressType = try OwnAddressType(parsing: &reader)
        peerAddressType = try AddressType(parsing: &reader)
        peerAddress = try BluetoothAddress(parsing: &reader)
        initiatingPHYs = try PHYSet(parsing: &reader)
        parameters = try reader.readList(count: initiatingPHYs.rawValue.nonzeroBitCount)
    }

    package func serialize(into writer: inout ByteWriter) {
        initiatorFilterPolicy.serialize(into: &writer)
        ownAddressType.serialize(into: &writer)
        peerAddressType.serialize(into: &writer)
        peerAddress.serialize(into: &writer)
        initiatingPHYs.serialize(into: &writer)
        for phy in parameters { phy.serialize(into: &writer) }
    }
}
