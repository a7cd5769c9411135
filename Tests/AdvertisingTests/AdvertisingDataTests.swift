// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

@Suite struct AdvertisingDataTests {
    /// Frames of other formats, with the bytes of the examples in their specifications.
    @Test(
        arguments: [
            ("0201060303aafe1716aafe00e3123456789012346789010000000000010000", [0x01, 0x03, 0x16]),
            ("0303aafe1316aafe10f8036769746875620063697472757a", [0x03, 0x16]),
            ("0201060303aafe1116aafe20000b18130000001467002ac4e4", [0x01, 0x03, 0x16]),
            ("0201060303aafe0d16aafe30e34549445f74657374", [0x01, 0x03, 0x16]),
            ("02011a1bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c509", [0x01, 0xFF]),
        ] as [(String, [UInt8])])
    func otherFormatsArePreserved(_ text: String, types: [UInt8]) throws {
        let data = try checkWire(AdvertisingData.self, bytes: try Hexadecimal.bytes(text))
        #expect(data.structures.map(\.type) == types)
        #expect(data.structures.allSatisfy { if case .unknown = $0 { false } else { true } })
    }

    @Test(arguments: [("00", 0), ("000000", 0), ("02010600", 1), ("0201060000ff4c", 1), ("02010600050203", 1)])
    func bytesAfterAZeroLengthArePreserved(_ text: String, structures: Int) throws {
        let bytes = try Hexadecimal.bytes(text)
        let data = try checkWire(AdvertisingData.self, bytes: bytes)
        #expect(data.structures.count == structures)
        #expect(data.padding == Array(bytes[(structures * 3)...]))
        #expect(data.size == bytes.count)
    }

    @Test(arguments: [
        ("0201061aff4c00", 1, WireError(.truncated(needed: 26, available: 3), offset: 4)),
        ("02010603", 1, WireError(.truncated(needed: 3, available: 0), offset: 4)),
        ("0201", 0, WireError(.truncated(needed: 2, available: 1), offset: 1)),
        ("ff", 0, WireError(.truncated(needed: 255, available: 0), offset: 1)),
    ])
    func structuresBeforeAnErrorAreReturned(_ text: String, structures: Int, expected: WireError) throws {
        let bytes = try Hexadecimal.bytes(text)
        #expect(throws: expected) { _ = try AdvertisingData(parsing: bytes) }
        let (data, error) = AdvertisingData.prefix(of: bytes)
        #expect(error == expected)
        #expect(data.structures == Array(repeating: .flags(.beacon), count: structures))
    }

    @Test func flagsAndNameAreFound() {
        let data: AdvertisingData = [
            .transmitPower(TransmitPower(0)), .localName("Bea", isComplete: false), .flags(.limitedDiscoverable),
            .flags(.beacon),
        ]
        #expect(data.flags == .limitedDiscoverable)
        #expect(data.localName == "Bea")
        #expect(AdvertisingData().flags == nil)
        #expect(AdvertisingData().localName == nil)
        #expect(AdvertisingData([.unknown(type: 1, data: [])]).flags == nil)
    }

    @Test func beaconFlagsAreValueSix() {
        #expect(AdvertisingFlags.beacon.rawValue == 0x06)
    }
}
