// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// The number of an HCI command: group and command fields (Core 5.4, Vol 4, Part E, 5.4.1).
public struct HCIOpcode: Hashable, Sendable {
    /// Both fields as they are on the wire: group in the upper six bits.
    public let rawValue: UInt16
    /// Any opcode, known or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The parameters of one HCI command.
public protocol HCICommand: WireCodable {
    /// The command's number.
    static var opcode: HCIOpcode { get }
}

/// What a controller says of a command: 0 is success (Core 5.4, Vol 1, Part F).
public struct HCIStatus: Hashable, Sendable {
    /// The code on the wire.
    public let rawValue: UInt8
    /// Any code, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The command was done.
    public static let success = HCIStatus(rawValue: 0)
}

/// HCI_Reset (Core 5.4, Vol 4, Part E, 7.3.2): the controller forgets all that it was told.
public struct HCIReset: HCICommand, Hashable {
    public static let opcode = HCIOpcode(rawValue: 0x0C03)
    public init() {}
    public init(parsing reader: inout ByteReader) throws(WireError) {}
    public func serialize(into writer: inout ByteWriter) {}
}
