// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

/// An AD structure and its bytes.
struct StructureVector: CustomTestStringConvertible {
    let bytes: String
    let structure: AdvertisingStructure
    var testDescription: String { bytes }

    init(_ bytes: String, _ structure: AdvertisingStructure) {
        self.bytes = bytes
        self.structure = structure
    }
}

@Suite struct AdvertisingStructureTests {
    private static let service = [UUID128("2173E519-9155-4862-AB64-7953AB146156")]
    private static let serviceBytes = "566114ab537964ab6248559119e57321"

    private static let known = [
        StructureVector("020106", .flags(.beacon)),
        StructureVector("020100", .flags([])),
        StructureVector("0201ff", .flags(AdvertisingFlags(rawValue: 0xFF))),
        StructureVector("03020f18", .serviceUUIDs16([0x180F], isComplete: false)),
        StructureVector("05030f180a18", .serviceUUIDs16([0x180F, 0x180A], isComplete: true)),
        StructureVector("0103", .serviceUUIDs16([], isComplete: true)),
        StructureVector("1106" + serviceBytes, .serviceUUIDs128(service, isComplete: false)),
        StructureVector("1107" + serviceBytes, .serviceUUIDs128(service, isComplete: true)),
        StructureVector("2107" + serviceBytes + serviceBytes, .serviceUUIDs128(service + service, isComplete: true)),
        StructureVector("0508426f6233", .localName("Bob3", isComplete: false)),
        StructureVector("0609477279c3bc", .localName("Gryü", isComplete: true)),
        StructureVector("0109", .localName("", isComplete: true)),
        StructureVector("020ac5", .transmitPower(TransmitPower(-59))),
        StructureVector("020a04", .transmitPower(TransmitPower(4))),
        StructureVector("0416aafe10", .serviceData16(0xFEAA, [0x10])),
        StructureVector("0316aafe", .serviceData16(0xFEAA, [])),
        StructureVector("04ff4c0002", .manufacturerSpecific(.apple, [2])),
        StructureVector("03ff1801", .manufacturerSpecific(CompanyIdentifier(0x0118), [])),
    ]

    private static let kept = [
        StructureVector("0419800001", .unknown(type: 0x19, data: [0x80, 0, 1])),
        StructureVector("0124", .unknown(type: 0x24, data: [])),
        StructureVector("0100", .unknown(type: 0, data: [])),
        StructureVector("0101", .unknown(type: 0x01, data: [])),
        StructureVector("03010600", .unknown(type: 0x01, data: [6, 0])),
        StructureVector("04020f1801", .unknown(type: 0x02, data: [0x0F, 0x18, 1])),
        StructureVector("02030f", .unknown(type: 0x03, data: [0x0F])),
        StructureVector("0407010203", .unknown(type: 0x07, data: [1, 2, 3])),
        StructureVector("0309c328", .unknown(type: 0x09, data: [0xC3, 0x28])),
        StructureVector("0208ff", .unknown(type: 0x08, data: [0xFF])),
        StructureVector("010a", .unknown(type: 0x0A, data: [])),
        StructureVector("030a0001", .unknown(type: 0x0A, data: [0, 1])),
        StructureVector("0216aa", .unknown(type: 0x16, data: [0xAA])),
        StructureVector("02ff4c", .unknown(type: 0xFF, data: [0x4C])),
    ]

    @Test(arguments: known + kept)
    func isReadAndWritten(_ vector: StructureVector) throws {
        let bytes = try Hexadecimal.bytes(vector.bytes)
        #expect(try checkWire(AdvertisingStructure.self, bytes: bytes) == vector.structure)
        #expect(vector.structure.serialized() == bytes)
        #expect(vector.structure.size == bytes.count)
        #expect(vector.structure.type == bytes[1])
        #expect(vector.structure.data == Array(bytes[2...]))
    }

    @Test func impossibleLengthIsRefused() {
        #expect(throws: WireError(.badLength(0), offset: 0)) { _ = try AdvertisingStructure(parsing: [0]) }
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 0)) {
            _ = try AdvertisingStructure(parsing: [])
        }
        #expect(throws: WireError(.truncated(needed: 255, available: 1), offset: 1)) {
            _ = try AdvertisingStructure(parsing: [255, 1])
        }
        #expect(throws: WireError(.trailingBytes(1), offset: 3)) {
            _ = try AdvertisingStructure(parsing: [2, 1, 6, 0])
        }
    }

    @Test func longestStructureIsParsedAndLongerDataIsCut() throws {
        let data = [UInt8](repeating: 7, count: 254)
        #expect(
            try checkWire(AdvertisingStructure.self, bytes: [255, 0x30] + data) == .unknown(type: 0x30, data: data))
        #expect(AdvertisingStructure.unknown(type: 0x30, data: data + [8]).serialized() == [255, 0x30] + data)
    }

    @Test func randomBytesArePreserved() throws {
        let samples = try (Self.known + Self.kept).map { try Hexadecimal.bytes($0.bytes) }
        try fuzzWire(AdvertisingStructure.self, samples: samples)
        try fuzzWire(AdvertisingData.self, samples: samples + [samples.flatMap { $0 }])
    }

    @Test(
        arguments: [
            (0x01, "flags"), (0x02, "incomplete-service-uuids-16"), (0x03, "complete-service-uuids-16"),
            (0x06, "incomplete-service-uuids-128"), (0x07, "complete-service-uuids-128"),
            (0x08, "shortened-local-name"),
            (0x09, "complete-local-name"), (0x0A, "tx-power-level"), (0x16, "service-data-16"),
            (0xFF, "manufacturer-specific"), (0x00, nil), (0x30, nil), (0xFE, nil),
        ] as [(UInt8, String?)])
    func typesHaveNames(_ type: UInt8, name: String?) {
        #expect(AdvertisingStructure.name(ofType: type) == name)
    }

    @Test func namesAreUnique() {
        let names = (UInt8.min...UInt8.max).compactMap(AdvertisingStructure.name(ofType:))
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } })
    }
}
