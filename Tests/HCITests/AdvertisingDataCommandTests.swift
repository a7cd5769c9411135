// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@Suite struct AdvertisingDataCommandTests {
    @Test func legacyDataMayBeEmptyOrFull() throws {
        let zeros = [UInt8](repeating: 0, count: 31)
        #expect(try checkWire(LESetAdvertisingData.self, bytes: [0] + zeros) == LESetAdvertisingData(data: []))
        let full = try checkWire(LESetAdvertisingData.self, bytes: [31] + zeros)
        #expect(full == LESetAdvertisingData(data: zeros))
        #expect(full.padding.isEmpty)
        #expect(LESetAdvertisingData(data: zeros + [0]) == nil)
        #expect(LESetScanResponseData(data: [1, 2])?.serialized() == [2, 1, 2] + zeros.dropFirst(2))
    }

    /// Bytes after the significant ones are preserved.
    @Test func legacyPaddingIsPreserved() throws {
        let odd: [UInt8] = [1] + (1...31)
        #expect(try checkWire(LESetScanResponseData.self, bytes: odd).padding == Array(2...31))
    }

    @Test(arguments: [32, 255] as [UInt8])
    func legacyDataBeyondTheFieldIsRefused(_ length: UInt8) {
        #expect(throws: WireError(.badLength(Int(length)), offset: 0)) {
            _ = try LESetAdvertisingData(parsing: [length] + [UInt8](repeating: 0, count: 31))
        }
    }

    @Test func shortLegacyFieldIsRefused() {
        #expect(throws: WireError(.truncated(needed: 31, available: 30), offset: 1)) {
            _ = try LESetScanResponseData(parsing: [3] + [UInt8](repeating: 0, count: 30))
        }
    }

    @Test func extendedDataOfWrongLengthIsRefused() {
        #expect(throws: WireError(.truncated(needed: 4, available: 3), offset: 4)) {
            _ = try LESetExtendedAdvertisingData(parsing: [1, 3, 1, 4, 2, 1, 6])
        }
        #expect(throws: WireError(.trailingBytes(1), offset: 6)) {
            _ = try LESetExtendedScanResponseData(parsing: [1, 3, 1, 2, 2, 1, 6])
        }
    }
}

/// Lists whose length is in a byte or a field of bits.
@Suite struct HCIListTests {
    @Test func incompleteListsAreRefused() {
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 6)) {
            _ = try LESetExtendedAdvertisingEnable(parsing: [1, 255, 1, 0, 0, 0])
        }
        #expect(throws: WireError(.truncated(needed: 2, available: 0), offset: 5)) {
            _ = try NumberOfCompletedPackets(parsing: [255, 0x40, 0, 1, 0])
        }
        #expect(throws: WireError(.truncated(needed: 200, available: 1), offset: 11)) {
            _ = try LEAdvertisingReport(parsing: [2, 1, 0, 0, 1, 2, 3, 4, 5, 6, 200, 9])
        }
    }

    /// Reserved bits count, too: a host that sets one requests an unknown PHY.
    @Test func everyPHYHasItsParameters() throws {
        let all = try checkWire(
            LESetExtendedScanParameters.self,
            bytes: [0, 0, 0xFF] + (0..<8).flatMap { [$0, 1, 0, 2, 0] })
        #expect(all.parameters.map(\.scanType.rawValue) == Array(0..<8))
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 8)) {
            _ = try LESetExtendedScanParameters(parsing: [0, 0, 5, 1, 1, 0, 2, 0])
        }
    }

    @Test func listsAreTruncatedToTheirMaximumCount() throws {
        let packets = [CompletedPackets](
            repeating: CompletedPackets(connectionHandle: ConnectionHandle(1), count: 1), count: 256)
        let bytes = NumberOfCompletedPackets(completedPackets: packets).serialized()
        #expect(try NumberOfCompletedPackets(parsing: bytes).completedPackets.count == 255)
        let data = [UInt8](repeating: 7, count: 256)
        let command = LESetExtendedAdvertisingData(advertisingHandle: 1, data: data)
        #expect(try LESetExtendedAdvertisingData(parsing: command.serialized()).data == Array(data.dropLast()))
    }
}
