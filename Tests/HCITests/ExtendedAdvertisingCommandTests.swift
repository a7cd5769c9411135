// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import TestSupport
import Testing

@Suite struct ExtendedAdvertisingCommandTests {
    @Test func setRandomAddressIsReadAndWritten() throws {
        let bytes = try Hexadecimal.bytes("02 010000eeffc0")
        let command = try checkWire(LESetAdvertisingSetRandomAddress.self, bytes: bytes)
        #expect(command.handle == 2)
        #expect(command.address.description == "C0:FF:EE:00:00:01")
        try fuzzWire(LESetAdvertisingSetRandomAddress.self, samples: [bytes])
    }

    @Test func parametersAreReadAndWritten() throws {
        // Legacy ADV_IND, 0x0000A0 to 0x123456 ticks, all channels, own address random, no peer, no filter, no power
        // asked for, LE 1M, set identifier 0, no notification.
        let bytes = try Hexadecimal.bytes("01 1300 a00000 563412 07 01 00 000000000000 00 7f 01 00 01 00 00")
        #expect(bytes.count == 25)
        let command = try checkWire(LESetExtendedAdvertisingParameters.self, bytes: bytes)
        #expect(command.handle == 1)
        #expect(command.properties == 0x0013)
        #expect(command.minimumInterval == AdvertisingInterval(160))
        #expect(command.maximumInterval == AdvertisingInterval(0x12_3456))
        #expect(command.channelMap == 7)
        #expect(command.ownAddressType == 1)
        #expect(command.peerAndFilter == [UInt8](repeating: 0, count: 8))
        #expect(command.transmitPower == 127)
        #expect(command.rest == [1, 0, 1, 0, 0])
        try fuzzWire(LESetExtendedAdvertisingParameters.self, samples: [bytes])
    }

    @Test func dataIsReadAndWritten() throws {
        let bytes = try Hexadecimal.bytes("01 03 01 03 020106")
        let advertising = try checkWire(LESetExtendedAdvertisingData.self, bytes: bytes)
        #expect(
            advertising
                == LESetExtendedAdvertisingData(handle: 1, operation: 3, fragmentPreference: 1, data: [2, 1, 6]))
        let response = try checkWire(LESetExtendedScanResponseData.self, bytes: bytes)
        #expect(
            response
                == LESetExtendedScanResponseData(handle: 1, operation: 3, fragmentPreference: 1, data: [2, 1, 6]))
        #expect(try checkWire(LESetExtendedAdvertisingData.self, bytes: [0, 4, 0, 0]).data.isEmpty)
        try fuzzWire(LESetExtendedAdvertisingData.self, samples: [bytes])
        try fuzzWire(LESetExtendedScanResponseData.self, samples: [bytes])
    }

    @Test func dataMustHaveItsLength() {
        #expect(throws: WireError(.truncated(needed: 4, available: 3), offset: 4)) {
            _ = try LESetExtendedAdvertisingData(parsing: [1, 3, 1, 4, 2, 1, 6])
        }
        #expect(throws: WireError(.trailingBytes(1), offset: 6)) {
            _ = try LESetExtendedScanResponseData(parsing: [1, 3, 1, 2, 2, 1, 6])
        }
    }

    @Test func enableIsReadAndWritten() throws {
        let bytes = try Hexadecimal.bytes("01 02 01 0000 00 02 e803 05")
        let command = try checkWire(LESetExtendedAdvertisingEnable.self, bytes: bytes)
        #expect(command.enable == 1)
        #expect(command.sets.map(\.handle) == [1, 2])
        #expect(command.sets.map(\.duration) == [0, 1000])
        #expect(command.sets.map(\.maximumEvents) == [0, 5])
        let all = try checkWire(LESetExtendedAdvertisingEnable.self, bytes: [0, 0])
        #expect(all.enable == 0)
        #expect(all.sets.isEmpty)
        try fuzzWire(LESetExtendedAdvertisingEnable.self, samples: [bytes, [0, 0]])
    }

    @Test func enableMustHaveAllItsSets() {
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 6)) {
            _ = try LESetExtendedAdvertisingEnable(parsing: [1, 255, 1, 0, 0, 0])
        }
    }

    @Test func removalIsReadAndWritten() throws {
        #expect(try checkWire(LERemoveAdvertisingSet.self, bytes: [9]).handle == 9)
        _ = try checkWire(LEClearAdvertisingSets.self, bytes: [])
        #expect(LEClearAdvertisingSets().serialized().isEmpty)
        try fuzzWire(LERemoveAdvertisingSet.self, samples: [[9]])
    }
}
