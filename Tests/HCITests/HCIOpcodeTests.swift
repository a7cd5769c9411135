// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import TestSupport
import Testing

@Suite struct HCIOpcodeTests {
    /// Group and command field of every command, as the specification has them.
    @Test(
        arguments: [
            (HCIReset.opcode, 0x03, 0x0003), (LESetRandomAddress.opcode, 0x08, 0x0005),
            (LESetAdvertisingParameters.opcode, 0x08, 0x0006), (LESetAdvertisingData.opcode, 0x08, 0x0008),
            (LESetScanResponseData.opcode, 0x08, 0x0009), (LESetAdvertisingEnable.opcode, 0x08, 0x000A),
            (LESetAdvertisingSetRandomAddress.opcode, 0x08, 0x0035),
            (LESetExtendedAdvertisingParameters.opcode, 0x08, 0x0036),
            (LESetExtendedAdvertisingData.opcode, 0x08, 0x0037), (LESetExtendedScanResponseData.opcode, 0x08, 0x0038),
            (LESetExtendedAdvertisingEnable.opcode, 0x08, 0x0039), (LERemoveAdvertisingSet.opcode, 0x08, 0x003C),
            (LEClearAdvertisingSets.opcode, 0x08, 0x003D),
        ] as [(HCIOpcode, UInt16, UInt16)])
    func opcodeHasGroupAndCommand(_ opcode: HCIOpcode, group: UInt16, command: UInt16) {
        #expect(opcode.rawValue == group << 10 | command)
    }

    @Test func resetHasNoParameters() throws {
        _ = try checkWire(HCIReset.self, bytes: [])
        #expect(HCIReset().serialized().isEmpty)
        #expect(throws: WireError(.trailingBytes(1), offset: 0)) { _ = try HCIReset(parsing: [0]) }
    }
}

@Suite struct HCICommandCompleteTests {
    @Test func isReadAndWritten() throws {
        let bytes: [UInt8] = [0x01, 0x36, 0x20, 0x00, 0xF9]
        let event = try checkWire(HCICommandComplete.self, bytes: bytes)
        #expect(event.commandCredits == 1)
        #expect(event.opcode == LESetExtendedAdvertisingParameters.opcode)
        #expect(event.returnParameters == [0, 0xF9])
        #expect(event.status == .success)
        #expect(HCICommandComplete(commandCredits: 1, opcode: event.opcode, returnParameters: [0, 0xF9]) == event)
        try fuzzWire(HCICommandComplete.self, samples: [bytes])
        #expect(HCICommandComplete.eventCode == 0x0E)
    }

    @Test func statusIsTheFirstOctetReturned() throws {
        #expect(try HCICommandComplete(parsing: [1, 3, 0x0C, 0x12]).status == HCIStatus(rawValue: 0x12))
        #expect(try HCICommandComplete(parsing: [1, 0, 0]).status == nil)
    }

    @Test func truncatedIsRefused() {
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 1)) {
            _ = try HCICommandComplete(parsing: [1, 3])
        }
    }
}
