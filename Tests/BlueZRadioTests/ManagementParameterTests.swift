// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import TestSupport
import Testing

@testable import BlueZRadio

@Suite struct ManagementParameterTests {
    @Test func commandListIsReadAndWritten() throws {
        let bytes = try Hexadecimal.bytes("0300 0200 0200 5400 5500 0100 0600")
        let list = try checkWire(ManagementCommandList.self, bytes: bytes)
        #expect(
            list.opcodes == [.readCommands, .addExtendedAdvertisingParameters, .addExtendedAdvertisingData])
        #expect(list.events == [1, 6])
        #expect(try checkWire(ManagementCommandList.self, bytes: [0, 0, 0, 0]).opcodes.isEmpty)
        try fuzzWire(ManagementCommandList.self, samples: [bytes])
    }

    @Test func commandListMustBeThereInFull() {
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 6)) {
            _ = try ManagementCommandList(parsing: [0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 5])
        }
    }

    @Test(
        arguments: [
            // A legacy controller of Linux 6.1, and one with extended advertising.
            ("3fc00000 1f 1f 05 02 01 05", false, [1, 5]), ("bff30000 1f 1f 05 00", true, []),
            ("80000000 fb fb 10 01 03", true, [3]),
        ] as [(String, Bool, [UInt8])])
    func featuresAreReadAndWritten(_ text: String, isExtended: Bool, instances: [UInt8]) throws {
        let bytes = try Hexadecimal.bytes(text)
        let features = try checkWire(AdvertisingFeatures.self, bytes: bytes)
        #expect(features.isExtended == isExtended)
        #expect(features.instances == instances)
        #expect(features.maximumAdvertisingData == bytes[4])
        #expect(features.maximumScanResponse == bytes[5])
        #expect(features.maximumInstances == bytes[6])
        try fuzzWire(AdvertisingFeatures.self, samples: [bytes])
    }

    @Test func featuresMustHaveAllTheirInstances() {
        #expect(throws: WireError(.truncated(needed: 255, available: 1), offset: 8)) {
            _ = try AdvertisingFeatures(parsing: [0, 0, 0, 0, 31, 31, 5, 255, 1])
        }
    }

    @Test func addingSaysIntervalAndPower() throws {
        let adding = AddExtendedAdvertisingParameters(
            instance: 5, flags: [.hasIntervals, .connectable], interval: AdvertisingInterval(160),
            transmitPower: TransmitPower(-7))
        let bytes = try Hexadecimal.bytes("05 01c00000 0000 0000 a0000000 a0000000 f9")
        #expect(adding.serialized() == bytes)
        #expect(try checkWire(AddExtendedAdvertisingParameters.self, bytes: bytes) == adding)
        try fuzzWire(AddExtendedAdvertisingParameters.self, samples: [bytes])
    }

    @Test func addingLeavesThePowerOpen() throws {
        let adding = AddExtendedAdvertisingParameters(
            instance: 1, flags: [.hasIntervals], interval: AdvertisingInterval(16384), transmitPower: nil)
        #expect(adding.serialized() == (try Hexadecimal.bytes("01 00400000 0000 0000 00400000 00400000 7f")))
        try checkWire(adding)
    }
}

@Suite struct MonitorPacketTests {
    @Test func isReadAndWritten() throws {
        // LE Set Advertising Enable for hci0.
        let bytes = try Hexadecimal.bytes("0200 0000 0400 0a20 01 01")
        let packet = try checkWire(MonitorPacket.self, bytes: bytes)
        #expect(packet == MonitorPacket(kind: MonitorPacket.command, index: 0, data: [0x0A, 0x20, 1, 1]))
        try fuzzWire(MonitorPacket.self, samples: [bytes])
    }

    /// The kernel's `HCI_MON_…` numbers.
    @Test func kindsAreTheKernels() {
        #expect(MonitorPacket.indexRemoved == 1)
        #expect(MonitorPacket.command == 2)
        #expect(MonitorPacket.event == 3)
    }
}
