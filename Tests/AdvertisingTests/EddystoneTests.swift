// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

@Suite struct EddystoneTests {
    /// A third-party advertisement, and the frame in it.
    struct Vector: Sendable, CustomTestStringConvertible {
        let source: String
        let bytes: String
        let frame: BeaconFrame?

        var testDescription: String { source }
    }

    static let uid = EddystoneUID(
        power: TransmitPower(-29), namespace: [0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x67, 0x89, 0x01],
        instance: [0, 0, 0, 0, 0, 1])
    static let earlyUID = EddystoneUID(
        power: TransmitPower(-29), namespace: [0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x67, 0x89, 0x01],
        instance: [0, 0, 0, 0, 0, 1], reserved: nil)
    static let url = EddystoneURL(power: TransmitPower(-8), url: "https://github.com/citruz")
    static let shortURL = EddystoneURL(power: TransmitPower(-25), url: "http://google.com/")
    static let tlm = EddystoneTLM(
        batteryMillivolts: 2840, temperature: 19 * 256, advertisements: 5223, uptimeTenths: 0x2A_C4E4)
    static let encryptedTLM = EddystoneEncryptedTLM(
        ciphertext: [0xD5, 0xD8, 0x99, 0x79, 0xAE, 0x79, 0xEB, 0xEE, 0x4E, 0x38, 0x5F, 0xA5], salt: 0xF683,
        integrityCheck: 0x0EFB)
    static let eid = EddystoneEID(power: TransmitPower(-29), identifier: Array("EID_test".utf8))

    static let vectors = [
        Vector(
            source: "citruz/beacontools, UID", bytes: "0201060303aafe1716aafe00e3123456789012346789010000000000010000",
            frame: uid.map { BeaconFrame($0) }),
        Vector(
            source: "UID of early beacons", bytes: "0201060303aafe1516aafe00e312345678901234678901000000000001",
            frame: earlyUID.map { BeaconFrame($0) }),
        Vector(
            source: "citruz/beacontools, URL", bytes: "0303aafe1316aafe10f8036769746875620063697472757a",
            frame: url.map { BeaconFrame($0) }),
        Vector(
            source: "Android Beacon Library, URL", bytes: "0201060303aafe0d16aafe10e702676f6f676c6500",
            frame: shortURL.map { BeaconFrame($0) }),
        Vector(
            source: "citruz/beacontools, TLM", bytes: "0201060303aafe1116aafe20000b18130000001467002ac4e4",
            frame: BeaconFrame(tlm)),
        Vector(
            source: "Nordic's Eddystone example, eTLM", bytes: "1516aafe2001d5d89979ae79ebee4e385fa5f6830efb",
            frame: encryptedTLM.map { BeaconFrame($0) }),
        Vector(
            source: "citruz/beacontools, EID", bytes: "0201060303aafe0d16aafe30e34549445f74657374",
            frame: eid.map { BeaconFrame($0) }),
    ]

    @Test(arguments: vectors)
    func isReadAndWritten(_ vector: Vector) throws {
        let data = try checkWire(AdvertisingData.self, bytes: try Hexadecimal.bytes(vector.bytes))
        let frame = try #require(vector.frame)
        #expect(data.frames == [frame])
        #expect(data.structures.last == frame.structure)
        #expect(data.services.last == .bit16(0xFEAA))
        let written = try #require(frame.content as? any EddystoneFrame).advertisingData()
        #expect(Hexadecimal.string(written.serialized()).hasSuffix(vector.bytes))
        #expect(written.size <= 31)
        #expect(written.flags == .beacon)
    }

    @Test func mutatedBytesAreParsedOrRefused() throws {
        let (uid, earlyUID) = (try #require(Self.uid), try #require(Self.earlyUID))
        let (url, shortURL) = (try #require(Self.url), try #require(Self.shortURL))
        let (encryptedTLM, eid) = (try #require(Self.encryptedTLM), try #require(Self.eid))
        try checkWire(uid)
        try checkWire(earlyUID)
        try checkWire(url)
        try checkWire(shortURL)
        try checkWire(Self.tlm)
        try checkWire(encryptedTLM)
        try checkWire(eid)
        try fuzzWire(EddystoneUID.self, samples: [uid.serialized(), earlyUID.serialized()])
        try fuzzWire(EddystoneURL.self, samples: [url.serialized(), shortURL.serialized()])
        try fuzzWire(EddystoneTLM.self, samples: [Self.tlm.serialized()])
        try fuzzWire(EddystoneEncryptedTLM.self, samples: [encryptedTLM.serialized()])
        try fuzzWire(EddystoneEID.self, samples: [eid.serialized()])
    }

    @Test(arguments: [
        "", "00", "40", "10e702", "2002" + "000000000000000000000000", "30e34549445f746573", "30e34549445f7465737400",
        "00e312345678901234678901000000000001" + "00", "00e312345678901234678901000000000001" + "000000",
        "20000b18130000001467002ac4", "2001d5d89979ae79ebee4e385fa5f6830e",
        "10e702616161616161616161616161616161616161",
    ])
    func otherServiceDataIsNotEddystone(_ text: String) throws {
        let structure = AdvertisingStructure.serviceData16(Eddystone.service, try Hexadecimal.bytes(text))
        #expect(BeaconFrame(structure) == nil)
    }

    @Test(arguments: vectors)
    func otherServicesAndTypesAreNotEddystone(_ vector: Vector) throws {
        let data = try #require(vector.frame).structure.data
        #expect(BeaconFrame(.serviceData16(0xFEAB, Array(data.dropFirst(2)))) == nil)
        for type: UInt8 in [0x03, 0x20, 0x21, 0xFF] {
            #expect(BeaconFrame(AdvertisingStructure(type: type, data: data)) == nil)
        }
    }

    @Test func errorsHaveTheOffset() throws {
        let wrongType = WireError(.badValue(field: "Eddystone frame type"), offset: 0)
        #expect(throws: wrongType) { _ = try EddystoneUID(parsing: [0x10, 0, 0]) }
        #expect(throws: wrongType) { _ = try EddystoneURL(parsing: [0x00, 0, 0, 0x61]) }
        #expect(throws: wrongType) { _ = try EddystoneTLM(parsing: [0x20, 1]) }
        #expect(throws: wrongType) { _ = try EddystoneEncryptedTLM(parsing: [0x20, 0]) }
        #expect(throws: wrongType) { _ = try EddystoneEID(parsing: [0x31, 0]) }
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 3)) {
            _ = try EddystoneURL(parsing: [0x10, 0, 0])
        }
        #expect(throws: WireError(.badLength(18), offset: 3)) {
            _ = try EddystoneURL(parsing: [0x10, 0, 0] + Array(repeating: 0x61, count: 18))
        }
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 18)) {
            _ = try EddystoneUID(parsing: Array(repeating: 0, count: 19))
        }
        #expect(throws: WireError(.trailingBytes(1), offset: 20)) {
            _ = try EddystoneUID(parsing: Array(repeating: 0, count: 21))
        }
    }

    @Test(
        arguments: [
            ("http://www.a", [0, 0x61]), ("https://www.a", [1, 0x61]), ("http://a", [2, 0x61]),
            ("https://a", [3, 0x61]),
            ("https://a.com/b", [3, 0x61, 0, 0x62]), ("https://a.gov", [3, 0x61, 13]),
            ("https://a.gov/", [3, 0x61, 6]),
            ("https://a.info", [3, 0x61, 11]), ("http://a.company", [2, 0x61, 7] + Array("pany".utf8)),
            ("https://12345678901234567", [3] + Array("12345678901234567".utf8)), ("https://.com/.org/", [3, 0, 1]),
            ("https://~!a", [3, 0x7E, 0x21, 0x61]), ("http://www.", nil), ("https://", nil), ("ftp://a", nil),
            ("", nil),
            ("HTTP://a", nil), ("https://123456789012345678", nil), ("https://a b", nil), ("https://ä", nil),
            ("https://e\u{301}", nil), ("https://a\u{7F}", nil),
        ] as [(String, [UInt8]?)])
    func addressesAreShortened(_ url: String, _ bytes: [UInt8]?) throws {
        let frame = EddystoneURL(power: TransmitPower(0), url: url)
        #expect(frame.map { [$0.scheme] + $0.encoded } == bytes)
        #expect(frame?.url == bytes.map { _ in url })
    }

    @Test(arguments: ["040061", "ff61", "030e", "0361200a", "037f", "0380", "03ff"])
    func reservedBytesAreNotAURL(_ text: String) throws {
        let frame = try checkWire(EddystoneURL.self, bytes: [0x10, 0] + (try Hexadecimal.bytes(text)))
        #expect(frame.url == nil)
    }

    @Test func fieldsHaveTheirValues() throws {
        #expect(Self.tlm.celsius == 19)
        #expect(Self.tlm.uptime == .milliseconds(280_291_600))
        let cold = EddystoneTLM(batteryMillivolts: 0, temperature: -128, advertisements: 0, uptimeTenths: 0)
        #expect(cold.celsius == -0.5)
        let none = EddystoneTLM(
            batteryMillivolts: 0, temperature: EddystoneTLM.noTemperature, advertisements: .max, uptimeTenths: .max)
        #expect(none.celsius == nil)
        #expect(none.serialized().starts(with: [0x20, 0, 0, 0, 0x80, 0]))
        #expect(try #require(Self.uid).measuredPower == MeasuredPower(-70))
        #expect(try #require(Self.url).measuredPower == MeasuredPower(-49))
        let weak = EddystoneEID(power: TransmitPower(-128), identifier: [0, 0, 0, 0, 0, 0, 0, 0])
        #expect(try #require(weak).measuredPower == MeasuredPower(-128))
        #expect(EddystoneEID(power: TransmitPower(0), identifier: [0]) == nil)
        #expect(EddystoneUID(power: TransmitPower(0), namespace: [0], instance: [0]) == nil)
        #expect(EddystoneEncryptedTLM(ciphertext: [0], salt: 0, integrityCheck: 0) == nil)
    }
}
