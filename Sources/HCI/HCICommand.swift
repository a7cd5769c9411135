// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The parameters of one HCI command.
///
/// A command is declared in one place, a file in `Commands/`: a struct with its `definition` and its fields, and a line in
/// the list at the top of the file. Names in messages, the bits of `SupportedCommands`, the fuzzer and the check that each
/// command has a sample follow from `HCICommands.all`.
package protocol HCICommand: WireCodable, Equatable {
    /// The command's opcode, name and bit among the supported commands.
    static var definition: HCICommandDefinition { get }
}

extension HCICommand {
    /// The command's opcode.
    package static var opcode: HCIOpcode { definition.opcode }
}

/// Opcode, name and supported-commands bit of a command.
package struct HCICommandDefinition: Sendable {
    /// Identifies the command on the wire.
    package let opcode: HCIOpcode
    /// The specification's name in words, without `HCI`: `LE Set Scan Enable`.
    package let name: String
    /// The command's bit in `SupportedCommands` (Core 5.4, Vol 4, Part E, 6.27); `nil` for vendor commands.
    package let supportedBit: (octet: Int, bit: Int)?

    init(_ opcode: UInt16, _ name: String, supportedBit: (octet: Int, bit: Int)?) {
        self.opcode = HCIOpcode(rawValue: opcode)
        self.name = name
        self.supportedBit = supportedBit
    }
}

/// The table of all HCI commands of this module.
package enum HCICommands {
    /// Every command, in groups as in the files that declare them.
    package static let all: [any HCICommand.Type] =
        classicLinks + classicSettings + controller + information + lowEnergy + deviceLists + legacyAdvertising
        + extendedAdvertising + scanning
        + connections + linkParameters + encryption + directTest

    /// The definitions by opcode.
    package static let definitions: [HCIOpcode: HCICommandDefinition] = Dictionary(
        uniqueKeysWithValues: all.map { ($0.opcode, $0.definition) })
}

// MARK: - Kinds of commands

/// A command whose `HCICommandComplete` returns more than a status when it succeeds.
package protocol HCIReturningCommand: HCICommand {
    /// The return parameters of success, the status first.
    ///
    /// A controller may answer a failed command with the status alone: check `HCICommandComplete.status` first.
    associatedtype Returned: WireCodable & Equatable
}

/// A command without parameters.
package protocol HCIParameterlessCommand: HCICommand {
    init()
}

extension HCIParameterlessCommand {
    package init(parsing reader: inout ByteReader) throws(WireError) { self.init() }
    package func serialize(into writer: inout ByteWriter) {}
}

/// A command about a connection: its first parameter is the connection handle.
package protocol ConnectionCommand: HCICommand {
    /// The connection.
    var connectionHandle: ConnectionHandle { get }
}

/// A command whose only parameter is the connection handle.
package protocol ConnectionHandleCommand: ConnectionCommand {
    /// A command about this connection.
    init(connectionHandle: ConnectionHandle)
}

extension ConnectionHandleCommand {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        self.init(connectionHandle: try ConnectionHandle(parsing: &reader))
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
    }
}

/// Return parameters of many commands about a connection.
package struct StatusAndConnectionHandle: WireCodable, Equatable {
    /// The HCI status.
    package let status: HCIStatus
    /// The connection of the command.
    package let connectionHandle: ConnectionHandle

    package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle) {
        self.status = status
        self.connectionHandle = connectionHandle
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        status = try HCIStatus(parsing: &reader)
        connectionHandle = try ConnectionHandle(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        status.serialize(into: &writer)
        connectionHandle.serialize(into: &writer)
    }
}

// MARK: - Opcodes

/// The opcode of an HCI command: group and command fields (Core 5.4, Vol 4, Part E, 5.4.1).
package struct HCIOpcode: Hashable, Sendable {
    /// Both fields as on the wire: the group in the upper six bits.
    package let rawValue: UInt16
    /// Any opcode, known or not.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Opcode Group Field: 8 for LE commands, 0x3F for vendor commands.
    package var group: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }
    /// Opcode Command Field: the number within the group.
    package var command: UInt16 { rawValue & 0x03FF }

    /// The specification's name of the command, in words: `LE Set Scan Enable`; of an unknown one `command 0xFC01`.
    package var name: String { HCICommands.definitions[self]?.name ?? "command \(self)" }

    /// No command: an event with this opcode only updates the number of commands that the controller accepts.
    package static let none = HCIOpcode(rawValue: 0)
}

extension HCIOpcode: CustomStringConvertible {
    /// Four digits: `0x200C`.
    package var description: String {
        "0x" + Hexadecimal.string([UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)]).uppercased()
    }
}
