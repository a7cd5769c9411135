// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

/// A third-party advertisement, and the frame in it.
struct IBeaconVector: CustomTestStringConvertible {
    let source: String
    /// Hexadecimal digits.
    let bytes: String
    let flags: UInt8
    let uuid: String
    let major: UInt16
    let minor: UInt16
    let measuredPower: Int8

    var testDescription: String { source }

    func frame() throws -> IBeacon {
        IBeacon(
            uuid: try #require(UUID128(uuid)), major: major, minor: minor,
            measuredPower: MeasuredPower(measuredPower))
    }

    static let appleUUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    static let all = [
        IBeaconVector(
            source: "Bluetooth specification checker, test_ibeacon",
            bytes: "0201061aff4c0002154142434445464748494041424344454600010002f8", flags: 0x06,
            uuid: "41424344-4546-4748-4940-414243444546", major: 1, minor: 2, measuredPower: -8),
        IBeaconVector(
            source: "custom-components/ble_monitor, test_ibeacon_parser.py",
            bytes: "02011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000640000c5", flags: 0x1A,
            uuid: appleUUID, major: 100, minor: 0, measuredPower: -59),
        IBeaconVector(
            source: "PureSwift/Bluetooth, iBeaconTests.swift, first",
            bytes: "02011a1aff4c000215f7826da64fa24e988024bc5b71e0893e00aa00bbb3", flags: 0x1A,
            uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", major: 170, minor: 187, measuredPower: -77),
        IBeaconVector(
            source: "PureSwift/Bluetooth, iBeaconTests.swift, second",
            bytes: "02011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010001e3", flags: 0x1A,
            uuid: appleUUID, major: 1, minor: 1, measuredPower: -29),
        IBeaconVector(
            source: "forforf/multi_beacon, ibeacon_protocol.md",
            bytes: "02011a1aff4c00021583256b7478d043a4826905f9dc8a44ba00100020c6", flags: 0x1A,
            uuid: "83256B74-78D0-43A4-8269-05F9DC8A44BA", major: 16, minor: 32, measuredPower: -58),
        IBeaconVector(
            source: "Zephyr, samples/bluetooth/ibeacon",
            bytes: "0201041aff4c00021518ee1516016b4becad96bcb96d166e9700000000c8", flags: 0x04,
            uuid: "18EE1516-016B-4BEC-AD96-BCB96D166E97", major: 0, minor: 0, measuredPower: -56),
        IBeaconVector(
            source: "an on-air PDU of the BTLE project",
            bytes: "02011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000000000c5", flags: 0x1A,
            uuid: appleUUID, major: 0, minor: 0, measuredPower: -59),
        IBeaconVector(
            source: "the command line's example",
            bytes: "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5", flags: 0x06,
            uuid: appleUUID, major: 1, minor: 2, measuredPower: -59),
    ]
}

@Suite struct IBeaconTests {
    @Test(arguments: IBeaconVector.all)
    func isEncoded(_ vector: IBeaconVector) throws {
        let data = try vector.frame().advertisingData(flags: AdvertisingFlags(rawValue: vector.flags))
        #expect(Hexadecimal.string(data.serialized()) == vector.bytes)
        #expect(data.size == 30)
    }

    @Test(arguments: IBeaconVector.all)
    func isDecoded(_ vector: IBeaconVector) throws {
        let data = try checkWire(AdvertisingData.self, bytes: try Hexadecimal.bytes(vector.bytes))
        #expect(data.structures.count == 2)
        #expect(data.padding.isEmpty)
        #expect(data.flags == AdvertisingFlags(rawValue: vector.flags))
        let frame = try #require(data.structures.lazy.compactMap { IBeacon($0) }.first)
        #expect(frame.uuid.description == vector.uuid)
        #expect(frame.major == vector.major)
        #expect(frame.minor == vector.minor)
        #expect(frame.measuredPower == MeasuredPower(vector.measuredPower))
    }

    /// PureSwift/Bluetooth, testEstimoteBeacon: only company and data.
    @Test func manufacturerSpecificDataAloneIsDecoded() throws {
        let bytes = try Hexadecimal.bytes("4c000215b9407f30f5f8466eaff925556b57fe6d294c903974")
        let structure = AdvertisingStructure(type: 0xFF, data: bytes)
        let frame = try #require(IBeacon(structure))
        #expect(frame.uuid.description == "B9407F30-F5F8-466E-AFF9-25556B57FE6D")
        #expect(frame.major == 0x294C)
        #expect(frame.minor == 0x9039)
        #expect(frame.measuredPower == MeasuredPower(116))
        #expect(frame.structure == structure)
        #expect(frame.structure.data == bytes)
        #expect(frame.structure.size == 27)
    }

    @Test func flagsCanBeLeftOut() throws {
        let frame = try IBeaconVector.all[0].frame()
        #expect(frame.advertisingData(flags: nil).serialized() == frame.structure.serialized())
        #expect(
            frame.advertisingData().serialized().starts(with: [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]))
    }

    @Test(arguments: [
        "", "4c", "4c00", "4c0002", "4c000215", "5900021500112233445566778899aabbccddeeff00010002c5",
        "004c021500112233445566778899aabbccddeeff00010002c5", "4c00021500112233445566778899aabbccddeeff00010002",
        "4c00021500112233445566778899aabbccddeeff00010002c500", "4c00031500112233445566778899aabbccddeeff00010002c5",
        "4c00021400112233445566778899aabbccddeeff00010002c5", "4c001005031c8ed6a5",
        "1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c509",
    ])
    func otherManufacturerDataIsNotIBeacon(_ text: String) throws {
        #expect(IBeacon(AdvertisingStructure(type: 0xFF, data: try Hexadecimal.bytes(text))) == nil)
    }

    @Test func otherTypesAreNotIBeacon() throws {
        let data = try IBeaconVector.all[0].frame().structure.data
        for type: UInt8 in [0x00, 0x01, 0x09, 0x16, 0xFE] {
            #expect(IBeacon(AdvertisingStructure(type: type, data: data)) == nil)
        }
    }

    @Test func errorsHaveTheOffset() throws {
        let bytes = try IBeaconVector.all[0].frame().serialized()
        #expect(bytes.count == 23)
        #expect(throws: WireError(.badValue(field: "iBeacon type and length"), offset: 0)) {
            _ = try IBeacon(parsing: [0x02, 0x16] + bytes.dropFirst(2))
        }
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 0)) { _ = try IBeacon(parsing: [0x02]) }
        #expect(throws: WireError(.truncated(needed: 16, available: 15), offset: 2)) {
            _ = try IBeacon(parsing: Array(bytes[..<17]))
        }
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 20)) {
            _ = try IBeacon(parsing: Array(bytes[..<21]))
        }
        #expect(throws: WireError(.truncated(needed: 1, available: 0), offset: 22)) {
            _ = try IBeacon(parsing: Array(bytes[..<22]))
        }
        #expect(throws: WireError(.trailingBytes(1), offset: 23)) { _ = try IBeacon(parsing: bytes + [0]) }
    }

    @Test func mutatedBytesAreParsedOrRefused() throws {
        var generator = SplitMix64(seed: 2)
        for _ in 0..<100 {
            try checkWire(
                IBeacon(
                    uuid: try #require(UUID128(octets: generator.bytes(16))),
                    major: .random(in: 0...(.max), using: &generator),
                    minor: .random(in: 0...(.max), using: &generator),
                    measuredPower: MeasuredPower(.random(in: -128...127, using: &generator))))
        }
        try fuzzWire(IBeacon.self, samples: try IBeaconVector.all.map { try $0.frame().serialized() })
    }
}
