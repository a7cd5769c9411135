// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// The event HCI_Command_Complete (Core 5.4, Vol 4, Part E, 7.7.14), behind the event code 0x0E and its length.
public struct HCICommandComplete: WireCodable, Hashable {
    /// The event code.
    public static let eventCode: UInt8 = 0x0E
    /// How many commands the controller takes now.
    public let commandCredits: UInt8
    /// Which command is complete.
    public let opcode: HCIOpcode
    /// The status octet and whatever the command returns behind it.
    public let returnParameters: [UInt8]

    /// An event with these fields.
    public init(commandCredits: UInt8, opcode: HCIOpcode, returnParameters: [UInt8]) {
        self.commandCredits = commandCredits
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The first returned octet, which is a status in every command used here; `nil` when nothing is returned.
    public var status: HCIStatus? { returnParameters.first.map(HCIStatus.init(rawValue:)) }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        commandCredits = try reader.readUInt8()
        opcode = HCIOpcode(rawValue: try reader.readLittleEndian())
        returnParameters = Array(reader.readAll())
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(commandCredits)
        writer.writeLittleEndian(opcode.rawValue)
        writer.write(returnParameters)
    }
}
