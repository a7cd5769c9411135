// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension HCICommands {
    /// Finding and connecting to BR/EDR devices (Core 5.4, Vol 4, Part E, 7.1).
    static let classicLinks: [any HCICommand.Type] = [
        Inquiry.self, InquiryCancel.self, CreateConnection.self, CreateConnectionCancel.self, RemoteNameRequest.self,
        RemoteNameRequestCancel.self,
    ]
}

/// HCI_Inquiry (Core 5.4, Vol 4, Part E, 7.1.1): looks for devices.
package struct Inquiry: HCICommand {
    package static let definition = HCICommandDefinition(0x0401, "Inquiry", supportedBit: (0, 0))
    /// Which devices answer.
    package let accessCode: InquiryAccessCode
    /// The duration in units of 1.28 s: 1 to 48.
    package let length: UInt8
    /// The number of devices after which the inquiry ends; 0 without a limit.
    package let maximumResponses: UInt8

    package init(accessCode: InquiryAccessCode = .generalInquiry, length: UInt8, maximumResponses: UInt8 = 0) {
        self.accessCode = accessCode
        self.length = length
        self.maximumResponses = maximumResponses
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        accessCode = try InquiryAccessCode(parsing: &reader)
        length = try reader.readUInt8()
        maximumResponses = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        accessCode.serialize(into: &writer)
        writer.write(length)
        writer.write(maximumResponses)
    }
}

/// HCI_Inquiry_Cancel (Core 5.4, Vol 4, Part E, 7.1.2): ends an inquiry.
package struct InquiryCancel: HCIParameterlessCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0402, "Inquiry Cancel", supportedBit: (0, 1))
    /// The command has no parameters.
    package init() {}
}

/// HCI_Create_Connection (Core 5.4, Vol 4, Part E, 7.1.5): connects to a BR/EDR device.
package struct CreateConnection: HCICommand {
    package static let definition = HCICommandDefinition(0x0405, "Create Connection", supportedBit: (0, 4))
    /// The peer.
    package let address: BluetoothAddress
    /// The packet types that may be used.
    package let packetTypes: UInt16
    /// How often the peer scans: 0 to 2.
    package let pageScanRepetitionMode: UInt8
    /// Zero.
    package let reserved: UInt8
    /// The difference between the clocks, valid if the uppermost bit is set.
    package let clockOffset: UInt16
    /// Whether the peer may become the central: 0 no, 1 yes.
    package let allowRoleSwitch: UInt8

    package init(
        address: BluetoothAddress, packetTypes: UInt16 = 0xCC18, pageScanRepetitionMode: UInt8 = 1, reserved: UInt8 = 0,
        clockOffset: UInt16 = 0, allowRoleSwitch: UInt8 = 1
    ) {
        self.address = address
        self.packetTypes = packetTypes
        self.pageScanRepetitionMode = pageScanRepetitionMode
        self.reserved = reserved
        self.clockOffset = clockOffset
        self.allowRoleSwitch = allowRoleSwitch
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
        packetTypes = try reader.readLittleEndian()
        pageScanRepetitionMode = try reader.readUInt8()
        reserved = try reader.readUInt8()
        clockOffset = try reader.readLittleEndian()
        allowRoleSwitch = try reader.readUInt8()
    }

    package func serialize(into writer: inout ByteWriter) {
        address.serialize(into: &writer)
        writer.writeLittleEndian(packetTypes)
        writer.write(pageScanRepetitionMode)
        writer.write(reserved)
        writer.writeLittleEndian(clockOffset)
        writer.write(allowRoleSwitch)
    }
}

/// HCI_Create_Connection_Cancel (Core 5.4, Vol 4, Part E, 7.1.7): ends an attempt to connect.
package struct CreateConnectionCancel: AddressCommand, Equatable {
    package static let definition = HCICommandDefinition(0x0408, "Create Connection Cancel", supportedBit: (0, 7))
    /// The peer.
    package let address: BluetoothAddress
    package init(address: BluetoothAddress) { self.address = address }
}

/// HCI_Remote_Name_Request (Core 5.4, Vol 4, Part E, 7.1.19): asks a BR/EDR device for its name.
package struct RemoteNameRequest: HCICommand {
    package static let definition = HCICommandDefinition(0x0419, "Remote Name Request", supportedBit: (2, 3))
    /// The peer.
    package let address: BluetoothAddress
    /// How often the peer scans: 0 to 2.
    package let pageScanRepetitionMode: UInt8
    /// Zero.
    package let reserved: UInt8
    /// The difference between the clocks, valid if the uppermost bit is set.
    package let clockOffset: UInt16

    package init(
        address: BluetoothAddress, pageScanRepetitionMode: UInt8 = 1, reserved: UInt8 = 0, clockOffset: UInt16 = 0
    ) {
        self.address = address
        self.pageScanRepetitionMode = pageScanRepetitionMode
        self.reserved = reserved
        self.clockOffset = clockOffset
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        address = try BluetoothAddress(parsing: &reader)
        pageScanRepetitionMode = try reader.readUInt8()
        reserved = try reader.readUInt8()
        clockOffset = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        address.serialize(into: &writer)
        writer.write(pageScanRepetitionMode)
        writer.write(reserved)
        writer.writeLittleEndian(clockOffset)
    }
}

/// HCI_Remote_Name_Request_Cancel (Core 5.4, Vol 4, Part E, 7.1.20): ends a request for a name.
package struct RemoteNameRequestCancel: AddressCommand, Equatable {
    package static let definition = HCICommandDefinition(0x041A, "Remote Name Request Cancel", supportedBit: (2, 4))
    /// The peer.
    package let address: BluetoothAddress
    package init(address: BluetoothAddress) { self.address = address }
}

/// A command whose only parameter is the address of a peer, which it returns.
package protocol AddressCommand: HCIReturningCommand where Returned == StatusAndValue<BluetoothAddress> {
    /// The peer.
    var address: BluetoothAddress { get }
    init(address: BluetoothAddress)
}

extension AddressCommand {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        self.init(address: try BluetoothAddress(parsing: &reader))
    }

    package func serialize(into writer: inout ByteWriter) { address.serialize(into: &writer) }
}
