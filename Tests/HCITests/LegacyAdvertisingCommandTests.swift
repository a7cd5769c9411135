// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import TestSupport
import Testing

@Suite struct LegacyAdvertisingCommandTests {
    private static let iBeacon = "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5"

    @Test func randomAddressIsReadAndWritten() throws {
        let bytes = try Hexadecimal.bytes("010000eeffc0")
        let command = try checkWire(LESetRandomAddress.self, bytes: bytes)
        #expect(command.address.description == "C0:FF:EE:00:00:01")
        try fuzzWire(LESetRandomAddress.self, samples: [bytes])
    }

    @Test func parametersAreReadAndWritten() throws {
        // Intervals 0x00A0 and 0x00F0, ADV_NONCONN_IND, own address random, no peer, all channels, no filter.
        let bytes = try Hexadecimal.bytes("a000f0000301 00000000000000 0700")
        let command = try checkWire(LESetAdvertisingParameters.self, bytes: bytes)
        #expect(command.minimumInterval == AdvertisingInterval(0x00A0))
        #expect(command.maximumInterval == AdvertisingInterval(0x00F0))
        #expect(command.advertisingType == 3)
        #expect(command.ownAddressType == 1)
        #expect(command.rest == [0, 0, 0, 0, 0, 0, 0, 7, 0])
        try fuzzWire(LESetAdvertisingParameters.self, samples: [bytes])
    }

    @Test func dataIsReadAndWritten() throws {
        let bytes = try Hexadecimal.bytes("1e" + Self.iBeacon + "00")
        let advertising = try checkWire(LESetAdvertisingData.self, bytes: bytes)
        #expect(Hexadecimal.string(advertising.data) == Self.iBeacon)
        #expect(advertising.padding == [0])
        #expect(LESetAdvertisingData(data: advertising.data, padding: [0]) == advertising)
        let response = try checkWire(LESetScanResponseData.self, bytes: bytes)
        #expect(response.data == advertising.data)
        #expect(LESetScanResponseData(data: response.data, padding: [0]).serialized() == bytes)
        try fuzzWire(LESetAdvertisingData.self, samples: [bytes])
        try fuzzWire(LESetScanResponseData.self, samples: [bytes])
    }

    @Test func dataMayBeEmptyOrFull() throws {
        let zeros = [UInt8](repeating: 0, count: 31)
        #expect(try checkWire(LESetAdvertisingData.self, bytes: [0] + zeros).data.isEmpty)
        let full = try checkWire(LESetAdvertisingData.self, bytes: [31] + zeros)
        #expect(full.data == zeros)
        #expect(full.padding.isEmpty)
        // Octets behind the significant ones survive, whatever they are.
        let odd: [UInt8] = [1] + (1...31)
        #expect(try checkWire(LESetScanResponseData.self, bytes: odd).padding == Array(2...31))
    }

    @Test(arguments: [32, 255] as [UInt8])
    func longerDataThanTheFieldIsRefused(_ length: UInt8) {
        #expect(throws: WireError(.badLength(Int(length)), offset: 0)) {
            _ = try LESetAdvertisingData(parsing: [length] + [UInt8](repeating: 0, count: 31))
        }
    }

    @Test func shortFieldIsRefused() {
        #expect(throws: WireError(.truncated(needed: 31, available: 30), offset: 1)) {
            _ = try LESetScanResponseData(parsing: [3] + [UInt8](repeating: 0, count: 30))
        }
    }

    @Test(arguments: [0, 1, 255] as [UInt8])
    func enableIsReadAndWritten(_ enable: UInt8) throws {
        #expect(try checkWire(LESetAdvertisingEnable.self, bytes: [enable]).enable == enable)
        try fuzzWire(LESetAdvertisingEnable.self, samples: [[enable]])
    }
}
