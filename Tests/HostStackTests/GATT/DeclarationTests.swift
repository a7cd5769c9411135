// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@Suite struct DeclarationTests {
    @Test func presentationFormatIsParsedAndSerialized() throws {
        // A battery level: an unsigned byte in per cent.
        let bytes = try Hexadecimal.bytes("0400ad27010000")
        let format = try checkWire(PresentationFormat.self, bytes: bytes)
        #expect(format == PresentationFormat(format: 4, unit: 0x27AD))
        #expect(GATTDescriptor.presentationFormat(format).value == bytes)
        try fuzzWire(PresentationFormat.self, samples: [bytes])
    }

    @Test func handlesAreOrdered() throws {
        #expect(try checkWire(AttributeHandle.self, bytes: [0x2A, 0x01]) == 0x012A)
        #expect(AttributeHandle(0x012A).description == "0x012A")
        #expect(AttributeHandle.first < .last)
        #expect(AttributeHandle(0xFFFE).successor == .last)
        #expect(AttributeHandle.last.successor == nil)
        #expect(ClosedRange<AttributeHandle>.all == 1...0xFFFF)
    }

    @Test func descriptorsHaveTheirTypesAndValues() {
        #expect(GATTDescriptor.userDescription("é") == GATTDescriptor(uuid: .bit16(0x2901), value: [0xC3, 0xA9]))
        let extended = GATTDescriptor.extendedProperties([.reliableWrite, .writableAuxiliaries])
        #expect(extended == GATTDescriptor(uuid: .bit16(0x2900), value: [3, 0]))
        #expect(GATTDescriptor.clientConfiguration.uuid == .bit16(0x2902))
        #expect(GATTDescriptor.serverConfiguration.uuid == .bit16(0x2903))
    }

    @Test func declarationsHaveDefaults() {
        let characteristic = GATTCharacteristic(uuid: .bit16(0x2A19), properties: .read)
        #expect(characteristic.permissions == .open)
        #expect(characteristic.descriptors.isEmpty)
        let service = GATTService(uuid: .bit16(0x180F), characteristics: [characteristic])
        #expect(service.isPrimary)
        #expect(service.includedServices.isEmpty)
    }
}
