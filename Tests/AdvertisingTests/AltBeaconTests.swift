// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

@Suite struct AltBeaconTests {
    /// From the tests of the Android Beacon Library.
    static let advertisement = "02011a1bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c509"

    static func frame() throws -> AltBeacon {
        AltBeacon(
            company: CompanyIdentifier(0x0118), id1: UUID128("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"),
            id2: 1, id3: 2, measuredPower: MeasuredPower(-59), manufacturerReserved: 9)
    }

    @Test func isEncoded() throws {
        let data = try Self.frame().advertisingData(flags: AdvertisingFlags(rawValue: 0x1A))
        #expect(Hexadecimal.string(data.serialized()) == Self.advertisement)
        #expect(data.size == 31)
        #expect(try Self.frame().structure.size == 28)
        #expect(try Self.frame().advertisingData(flags: nil).structures == [Self.frame().structure])
    }

    @Test func isDecoded() throws {
        let data = try checkWire(AdvertisingData.self, bytes: try Hexadecimal.bytes(Self.advertisement))
        let frame = try Self.frame()
        #expect(data.structures.compactMap { AltBeacon($0) } == [frame])
        #expect(data.frames == [BeaconFrame(frame)])
        #expect(data.iBeacons.isEmpty)
    }

    @Test(arguments: [
        "", "18", "1801", "1801be", "1801beac", "1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c5",
        "1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c50900",
        "1801acbe2f234454cf6d4a0fadf2f4911ba9ffa600010002c509", "4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5",
    ])
    func otherManufacturerDataIsNotAltBeacon(_ text: String) throws {
        #expect(AltBeacon(AdvertisingStructure(type: 0xFF, data: try Hexadecimal.bytes(text))) == nil)
    }

    @Test func otherTypesAreNotAltBeacon() throws {
        let data = try Self.frame().structure.data
        for type: UInt8 in [0x00, 0x09, 0x16, 0xFE] {
            #expect(AltBeacon(AdvertisingStructure(type: type, data: data)) == nil)
        }
    }

    @Test func errorsHaveTheOffset() throws {
        let bytes = try Self.frame().serialized()
        #expect(bytes.count == 26)
        #expect(throws: WireError(.badValue(field: "AltBeacon code"), offset: 2)) {
            _ = try AltBeacon(parsing: bytes.prefix(3) + [0xAD] + bytes.dropFirst(4))
        }
        #expect(throws: WireError(.truncated(needed: 16, available: 15), offset: 4)) {
            _ = try AltBeacon(parsing: Array(bytes.prefix(19)))
        }
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 25)) {
            _ = try AltBeacon(parsing: Array(bytes.prefix(25)))
        }
        #expect(throws: WireError(.trailingBytes(1), offset: 26)) { _ = try AltBeacon(parsing: bytes + [0]) }
    }

    @Test func mutatedBytesAreParsedOrRefused() throws {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<100 {
            try checkWire(
                AltBeacon(
                    company: CompanyIdentifier(.random(in: 0...(.max), using: &generator)),
                    id1: try #require(UUID128(octets: generator.bytes(16))),
                    id2: .random(in: 0...(.max), using: &generator), id3: .random(in: 0...(.max), using: &generator),
                    measuredPower: MeasuredPower(.random(in: -128...127, using: &generator)),
                    manufacturerReserved: .random(in: 0...255, using: &generator)))
        }
        try fuzzWire(AltBeacon.self, samples: [try Self.frame().serialized()])
    }
}
