// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@Suite struct UUIDTests {
    private static let octets: [UInt8] = [
        0x21, 0x73, 0xE5, 0x19, 0x91, 0x55, 0x48, 0x62, 0xAB, 0x64, 0x79, 0x53, 0xAB, 0x14, 0x61, 0x56,
    ]

    @Test(arguments: [
        "2173E519-9155-4862-AB64-7953AB146156", "2173e519-9155-4862-ab64-7953ab146156",
        "2173E51991554862AB647953AB146156", "2173e51991554862aB647953Ab146156",
    ])
    func textIsParsed(_ text: String) throws {
        let uuid = try #require(UUID128(text))
        #expect(uuid.octets == Self.octets)
        #expect(uuid.description == "2173E519-9155-4862-AB64-7953AB146156")
        #expect(BluetoothUUID(text) == .bit128(uuid))
    }

    @Test(arguments: [
        "", "-", "2173E519", "2173E519-9155-4862-AB64-7953AB14615", "2173E519-9155-4862-AB64-7953AB1461560",
        "2173E519-9155-4862-AB64-7953AB14615G", "2173E5199-155-4862-AB64-7953AB146156",
        "2173E519-9155-4862AB64-7953AB146156", "{2173E519-9155-4862-AB64-7953AB146156}",
        " 2173E519-9155-4862-AB64-7953AB146156", "2173E519-9155-4862-AB64-7953AB146156\n",
        "2173E519:9155:4862:AB64:7953AB146156", "0x73E519-9155-4862-AB64-7953AB146156",
        "2173E519-9155-4862-AB64-7953AB14６", "-2173E51991554862AB647953AB146156", "+173E51991554862AB647953AB146156",
    ])
    func otherTextIsRefused(_ text: String) {
        #expect(UUID128(text) == nil)
    }

    @Test(arguments: [0, 1, 15, 17, 32])
    func otherByteCountsAreRefused(_ count: Int) {
        #expect(UUID128(octets: [UInt8](repeating: 0, count: count)) == nil)
    }

    @Test func wireOrderIsReversed() throws {
        let uuid = try #require(UUID128(octets: Self.octets))
        let wire = try Hexadecimal.bytes("566114AB537964AB6248559119E57321")
        #expect(uuid.serialized() == wire)
        #expect(try checkWire(UUID128.self, bytes: wire) == uuid)
        try fuzzWire(UUID128.self, samples: [wire])
    }

    @Test(arguments: [
        ("180F", "180F", "0000180F-0000-1000-8000-00805F9B34FB"),
        ("feaa", "FEAA", "0000FEAA-0000-1000-8000-00805F9B34FB"),
        ("0000", "0000", "00000000-0000-1000-8000-00805F9B34FB"),
        ("12345678", "12345678", "12345678-0000-1000-8000-00805F9B34FB"),
        ("000000ff", "000000FF", "000000FF-0000-1000-8000-00805F9B34FB"),
    ])
    func shortFormsAreParsed(_ text: String, description: String, long: String) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid.description == description)
        #expect(uuid.expanded.description == long)
    }

    @Test(arguments: [
        "", "18", "180", "180FF", "180G", "+80F", "-001", " 180", "1234567", "123456789", "+1234567", "１１ab",
    ])
    func otherShortFormsAreRefused(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func widthDoesNotMatterForEquality() throws {
        let forms: [BluetoothUUID] = [
            .bit16(0x180F), .bit32(0x180F), .bit128(UUID128("0000180F-0000-1000-8000-00805F9B34FB")),
        ]
        #expect(Set(forms).count == 1)
        #expect(BluetoothUUID.bit16(0x180F) != .bit16(0x180A))
        #expect(BluetoothUUID.bit16(0x180F) != .bit32(0x1_180F))
        #expect(
            BluetoothUUID.bit16(0x180F)
                != .bit128(UUID128("0000180F-0000-1000-8000-00805F9B34FC")))
    }
}
