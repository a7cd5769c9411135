// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import TestSupport
import Testing

@Suite struct HCICommandCompleteTests {
    @Test func statusIsTheFirstOctetReturned() throws {
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

    /// A controller that fails may return the status alone, or all parameters without meaning.
    @Test(arguments: [[0x02], [0x02, 0, 0, 0]] as [[UInt8]])
    func failureReturnsNothingElse(_ parameters: [UInt8]) throws {
        let complete = HCICommandComplete(opcode: ReadRSSI.opcode, returnParameters: parameters)
        #expect(complete.status == .unknownConnectionIdentifier)
        #expect(try complete.returned(of: ReadRSSI.self) == nil)
    }

    @Test func statusAloneIsWritten() {
        let complete = HCICommandComplete(commandCredits: 2, opcode: ReadRSSI.opcode, status: .commandDisallowed)
        #expect(complete.serialized() == [2, 0x05, 0x14, 0x0C])
    }

    @Test func successMustBeWhole() {
        let short = HCICommandComplete(opcode: ReadRSSI.opcode, returnParameters: [0, 0x40, 0])
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 3)) {
            _ = try short.returned(of: ReadRSSI.self)
        }
        #expect(throws: WireError(.badValue(field: "Command_Opcode"), offset: 0)) {
            _ = try short.returned(of: LERand.self)
        }
    }
}
