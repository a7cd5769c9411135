// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@Suite struct HCIPacketTests {
    /// A notification as a controller delivered it.
    private static let notification = "02 4020 0c00 0800 0400 1b0900 8080b01000"

    @Test func aclIsReadAndWritten() throws {
        let packet = try checkWire(HCIPacket.self, bytes: Hexadecimal.bytes(Self.notification))
        let payload = try Hexadecimal.bytes("0800 0400 1b0900 8080b01000")
        #expect(
            packet
                == .acl(
                    ACLDataPacket(handle: ConnectionHandle(0x0040), boundary: .firstFlushable, payload: payload)))
        try fuzzWire(HCIPacket.self, samples: [Hexadecimal.bytes(Self.notification)])
    }

    @Test(
        arguments: [
            (0x0EFF, .firstNonFlushable, 0), (0x1EFF, .continuing, 0), (0x2EFF, .firstFlushable, 0),
            (0x7EFF, .complete, 1), (0xBEFF, .complete, 2), (0xEEFF, .firstFlushable, 3),
        ] as [(UInt16, PacketBoundary, UInt8)])
    func aclFlagsAreAboveTheHandle(_ field: UInt16, _ boundary: PacketBoundary, _ broadcast: UInt8) throws {
        let bytes = [UInt8(truncatingIfNeeded: field), UInt8(field >> 8), 1, 0, 9]
        let packet = try checkWire(ACLDataPacket.self, bytes: bytes)
        #expect(packet.handle == ConnectionHandle(0x0EFF))
        #expect(packet.boundary == boundary)
        #expect(packet.broadcast == broadcast)
        #expect(packet.payload == [9])
    }

    @Test func aclFieldsAreTruncatedToTheirBits() throws {
        let packet = ACLDataPacket(
            handle: ConnectionHandle(0xF123), boundary: .continuing, broadcast: 0xFD,
            payload: [UInt8](repeating: 7, count: 65_536))
        #expect(packet.handle == ConnectionHandle(0x0123))
        #expect(packet.broadcast == 1)
        #expect(packet.payload.count == 65_535)
        #expect(Array(packet.serialized().prefix(5)) == [0x23, 0x51, 0xFF, 0xFF, 7])
    }

    @Test func unknownPacketsPassThrough() throws {
        let synchronous = try checkWire(HCIPacket.self, bytes: [3, 0x01, 0x30, 2, 8, 9])
        #expect(synchronous == .synchronous([0x01, 0x30, 2, 8, 9]))
        // The two uppermost bits of an isochronous length are reserved.
        let isochronous = try checkWire(HCIPacket.self, bytes: [5, 0x60, 0x20, 3, 0xC0, 7, 8, 9])
        #expect(isochronous == .isochronous([0x60, 0x20, 3, 0xC0, 7, 8, 9]))
        let unknown = try checkWire(HCIPacket.self, bytes: [1, 0x01, 0xFC, 2, 1, 2])
        #expect(unknown == .command(HCICommandPacket(opcode: HCIOpcode(rawValue: 0xFC01), parameters: [1, 2])))
        let vendor = try checkWire(HCIPacket.self, bytes: [4, 0xFF, 1, 5])
        #expect(vendor == .event(HCIEventPacket(code: 0xFF, parameters: [5])))
    }

    @Test(arguments: [0, 6, 0x10, 0xFF] as [UInt8])
    func unknownKindIsRefused(_ kind: UInt8) {
        #expect(throws: WireError(.badValue(field: "packet type"), offset: 0)) {
            _ = try HCIPacket(parsing: [kind, 0, 0, 0])
        }
    }

    @Test func wrongLengthsAreRefused() {
        #expect(throws: WireError(.truncated(needed: 3, available: 2), offset: 4)) {
            _ = try HCIPacket(parsing: [1, 3, 0x0C, 3, 1, 2])
        }
        #expect(throws: WireError(.trailingBytes(1), offset: 4)) { _ = try HCIPacket(parsing: [1, 3, 0x0C, 0, 9]) }
        #expect(throws: WireError(.truncated(needed: 65_535, available: 0), offset: 5)) {
            _ = try HCIPacket(parsing: [2, 0x40, 0x20, 0xFF, 0xFF])
        }
    }

    @Test func parametersAreTruncatedToTheirLength() {
        let tooMany = [UInt8](repeating: 7, count: 256)
        let command = HCIPacket.command(HCICommandPacket(opcode: HCIReset.opcode, parameters: tooMany))
        #expect(command.serialized() == [1, 0x03, 0x0C, 255] + tooMany[1...])
        let event = HCIPacket.event(HCIEventPacket(code: 0x3E, parameters: tooMany))
        #expect(event.serialized() == [4, 0x3E, 255] + tooMany[1...])
    }

    @Test func parametersOfAnotherOpcodeAreRefused() throws {
        let packet = HCICommandPacket(HCIReset())
        #expect(throws: WireError(.badValue(field: "OpCode"), offset: 0)) {
            _ = try packet.parameters(as: LEClearAdvertisingSets.self)
        }
        let overlong = HCICommandPacket(opcode: HCIReset.opcode, parameters: [0])
        #expect(throws: WireError(.trailingBytes(1), offset: 0)) { _ = try overlong.parameters(as: HCIReset.self) }
    }

    @Test func parametersOfAnotherEventCodeAreRefused() throws {
        let packet = HCIEventPacket(LEScanTimeout())
        #expect(packet.code == HCIEventPacket.lowEnergyMetaCode)
        #expect(packet.subeventCode == LEScanTimeout.subeventCode)
        #expect(throws: WireError(.badValue(field: "Event_Code"), offset: 0)) {
            _ = try packet.parameters(as: HardwareError.self)
        }
        #expect(throws: WireError(.badValue(field: "Subevent_Code"), offset: 0)) {
            _ = try packet.parameters(as: LEAdvertisingSetTerminated.self)
        }
        #expect(HCIEventPacket(HardwareError(hardwareCode: 0x11)).subeventCode == nil)
        #expect(HCIEventPacket(code: HCIEventPacket.lowEnergyMetaCode, parameters: []).subeventCode == nil)
    }
}

@Suite struct HCICommandCompleteTests {
    @Test func statusIsTheFirstReturnedByte() throws {
        #expect(try HCICommandComplete(parsing: [1, 3, 0x0C, 0x12]).status == .invalidCommandParameters)
        let credits = try checkWire(HCICommandComplete.self, bytes: [5, 0, 0])
        #expect(credits.status == nil)
        #expect(credits.opcode == .none)
        #expect(credits.commandCredits == 5)
    }

    @Test func truncatedIsRefused() {
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 1)) {
            _ = try HCICommandComplete(parsing: [1, 3])
        }
    }

    /// A controller that fails may return the status alone, or all parameters with meaningless values.
    @Test(arguments: [[0x02], [0x02, 0, 0, 0]] as [[UInt8]])
    func parametersOfAFailureAreIgnored(_ parameters: [UInt8]) throws {
        let complete = HCICommandComplete(opcode: ReadRSSI.opcode, returnParameters: parameters)
        #expect(complete.status == .unknownConnectionIdentifier)
        #expect(try complete.returned(of: ReadRSSI.self) == nil)
    }

    @Test func statusAloneIsWritten() {
        let complete = HCICommandComplete(commandCredits: 2, opcode: ReadRSSI.opcode, status: .commandDisallowed)
        #expect(complete.serialized() == [2, 0x05, 0x14, 0x0C])
    }

    @Test func incompleteSuccessIsRefused() {
        let short = HCICommandComplete(opcode: ReadRSSI.opcode, returnParameters: [0, 0x40, 0])
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 3)) {
            _ = try short.returned(of: ReadRSSI.self)
        }
        #expect(throws: WireError(.badValue(field: "Command_Opcode"), offset: 0)) {
            _ = try short.returned(of: LERand.self)
        }
    }
}
