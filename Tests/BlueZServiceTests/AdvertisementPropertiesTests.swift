// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import Foundation
import Testing

@testable import BlueZService

/// Advertisements of programs: the expected bytes were composed by hand from the Core Specification Supplement, Part A.
struct AdvertisementPropertiesTests {
    private static let context = AdvertisementProperties.Context(
        name: "host", isDiscoverable: false,
        address: BluetoothAddress(octets: [0x00, 0xAA, 0x01, 0, 0, 0]) ?? .zero)

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.filter { $0 != " " })
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    private static func fault(_ properties: [String: DBusValue]) -> String? {
        do throws(AdvertisementProperties.Fault) {
            _ = try AdvertisementProperties(properties, context)
            return nil
        } catch {
            return error.property
        }
    }

    private static func data(_ values: [(DBusValue, [UInt8])], key: DBusSignature) -> DBusValue {
        .dictionary(key, "v", values.map { DBusDictionaryEntry($0.0, .variant(.bytes($0.1))) })
    }

    @Test func allPropertiesAreAdvertised() throws {
        let properties: [String: DBusValue] = [
            "Type": "peripheral", "Discoverable": true, "LocalName": "Heart",
            "ServiceUUIDs": .strings(["180D", "0000180f-0000-1000-8000-00805f9b34fb"]),
            "SolicitUUIDs": .strings(["1805"]),
            "ManufacturerData": Self.data([(.uint16(0x004C), [2])], key: "q"),
            "ServiceData": Self.data([("feaa", [0x10])], key: "s"),
            "Appearance": .uint16(0x0340), "Data": Self.data([(.byte(0x26), [1])], key: "y"),
            "MinInterval": .uint32(100), "MaxInterval": .uint32(200), "TxPower": .int16(-4), "Timeout": .uint16(3),
            "DiscoverableTimeout": .uint16(0), "Duration": .uint16(2), "Includes": .strings([]),
        ]
        let read = try AdvertisementProperties(properties, Self.context)
        #expect(
            read.advertisement.advertisingData.bytes
                == Self.bytes("020106 05030D180F18 03140518 04FF4C0002 0416AAFE10 0319 4003 022601"))
        #expect(read.advertisement.scanResponse.bytes == Self.bytes("0609") + Array("Heart".utf8))
        #expect(read.advertisement.pdu == .connectableScannable)
        #expect(read.advertisement.interval == AdvertisingInterval(160))
        #expect(read.advertisement.transmitPower == TransmitPower(-4))
        #expect(read.advertisement.address == Self.context.address)
        #expect(read.timeout == .seconds(3) && read.discoverableTimeout == nil)
        #expect(read.advertisement.problems.isEmpty)
    }

    @Test func longUUIDsAreAdvertisedReversed() throws {
        let read = try AdvertisementProperties(
            ["Type": "broadcast", "ServiceUUIDs": .strings(["12345678-9abc-def0-1234-56789abcdef0"])], Self.context)
        #expect(
            read.advertisement.advertisingData.bytes == Self.bytes("1107 F0DEBC9A78563412F0DEBC9A78563412"))
        #expect(read.advertisement.pdu == .nonConnectable)
        #expect(read.advertisement.interval == AdvertisementProperties.standardInterval)
    }

    @Test func flagsFollowDiscoverability() throws {
        func flags(_ more: [String: DBusValue], isDiscoverable: Bool = false) throws -> UInt8? {
            var context = Self.context
            context.isDiscoverable = isDiscoverable
            let all = more.merging(["Type": "peripheral"]) { first, _ in first }
            return try AdvertisementProperties(all, context).advertisement.advertisingData.flags?.rawValue
        }
        #expect(try flags([:]) == nil)
        #expect(try flags([:], isDiscoverable: true) == 0x06)
        #expect(try flags(["Discoverable": true]) == 0x06)
        #expect(try flags(["Discoverable": false], isDiscoverable: true) == 0x04)
        #expect(try flags(["Discoverable": true, "DiscoverableTimeout": .uint16(5)]) == 0x05)
        #expect(try flags(["Type": "broadcast"], isDiscoverable: true) == nil)
        #expect(Self.fault(["Type": "broadcast", "Discoverable": true]) == "Discoverable")
    }

    @Test func scanResponseHasItsProperties() throws {
        let read = try AdvertisementProperties(
            [
                "Type": "broadcast", "Includes": .strings(["local-name", "tx-power"]),
                "ScanResponseServiceUUIDs": .strings(["180D"]),
                "ScanResponseManufacturerData": Self.data([(.uint16(0x004C), [7])], key: "q"),
            ], Self.context)
        #expect(read.advertisement.advertisingData.bytes == Self.bytes("020A00"))
        #expect(
            read.advertisement.scanResponse.bytes
                == Self.bytes("03030D18 04FF4C0007 0509") + Array("host".utf8))
        #expect(read.advertisement.pdu == .scannable)
    }

    @Test func broadcastOfADiscoverableAdapterIsConnectable() throws {
        var context = Self.context
        context.isDiscoverable = true
        #expect(try AdvertisementProperties(["Type": "broadcast"], context).advertisement.pdu == .connectableScannable)
        #expect(try AdvertisementProperties(["Type": "broadcast"], Self.context).advertisement.pdu == .nonConnectable)
    }

    @Test func longNameIsShortened() throws {
        let name = String(repeating: "ä", count: 20)
        let read = try AdvertisementProperties(["Type": "peripheral", "LocalName": .string(name)], Self.context)
        #expect(
            read.advertisement.scanResponse.structures
                == [.localName(String(repeating: "ä", count: 14), isComplete: false)])
    }

    @Test func unknownIncludesAreIgnored() throws {
        let includes = DBusValue.strings(["everything", "rsi", "local-name"])
        let read = try AdvertisementProperties(["Type": "peripheral", "Includes": includes], Self.context)
        #expect(read.ignoredIncludes == ["everything"])
        let plain = try AdvertisementProperties(
            ["Type": "peripheral", "Includes": .strings(["local-name"])], Self.context)
        #expect(read.advertisement == plain.advertisement)
    }

    @Test(
        arguments: [
            (["Type": "other"], "Type"), (["Type": .byte(1)], "Type"),
            (["ServiceUUIDs": .strings(["18"])], "ServiceUUIDs"), (["ServiceUUIDs": "180D"], "ServiceUUIDs"),
            (["ManufacturerData": .variants(["4c": .bytes([1])])], "ManufacturerData"),
            (["LocalName": .uint16(1)], "LocalName"),
            (["LocalName": "a", "Includes": .strings(["local-name"])], "LocalName"),
            (["Includes": .uint32(1)], "Includes"), (["Appearance": .uint32(1)], "Appearance"),
            (["MinInterval": .uint32(19)], "MinInterval"),
            (["MinInterval": .uint32(200), "MaxInterval": .uint32(100)], "MinInterval"),
            (["MinInterval": .uint32(100)], "MinInterval"),
            (["MinInterval": .uint32(100), "MaxInterval": .uint32(10_485_760)], "MaxInterval"),
            (["Appearance": .uint16(1), "Includes": .strings(["appearance"])], "Appearance"),
            (["ManufacturerData": Self.data([(.uint16(1), [])], key: "q")], "ManufacturerData"),
            (["Data": Self.data([(.byte(0x26), [])], key: "y")], "Data"),
            (["TxPower": .int16(21)], "TxPower"), (["Timeout": .uint32(1)], "Timeout"),
            (["SecondaryChannel": "2M"], "SecondaryChannel"), (["SecondaryChannel": ""], "SecondaryChannel"),
            (
                ["Discoverable": true, "Timeout": .uint16(5), "DiscoverableTimeout": .uint16(6)],
                "DiscoverableTimeout"
            ),
            (["Duration": "long"], "Duration"),
            (["Data": .dictionary("y", "v", [DBusDictionaryEntry(.byte(0x01), .variant(.bytes([6])))])], "Data"),
            (
                [
                    "Data": .dictionary(
                        "y", "v", [DBusDictionaryEntry(.byte(0x26), .variant(.bytes(Array(repeating: 0, count: 30))))])
                ],
                "advertising data"
            ),
            (
                [
                    "Data": .dictionary(
                        "y", "v", [DBusDictionaryEntry(.byte(0x26), .variant(.bytes(Array(repeating: 0, count: 600))))])
                ],
                "advertising data"
            ),
        ] as [([String: DBusValue], String)])
    func wrongPropertyIsRefused(_ properties: [String: DBusValue], _ property: String) {
        let isAboutType = property == "Type"
        let all = isAboutType ? properties : properties.merging(["Type": "peripheral"]) { first, _ in first }
        #expect(Self.fault(all) == property)
    }

    @Test(
        arguments: [
            [:], ["Timeout": .uint16(5), "DiscoverableTimeout": .uint16(6)], ["MaxInterval": .uint32(100)],
            ["Type": "peripheral", "MinInterval": .uint32(20), "MaxInterval": .uint32(10_485_759)],
        ] as [[String: DBusValue]])
    func propertiesAreAcceptedAsByTheDaemon(_ properties: [String: DBusValue]) throws {
        let read = try AdvertisementProperties(properties, Self.context)
        #expect(read.advertisement.pdu == (properties["Type"] == nil ? .nonConnectable : .connectableScannable))
        #expect(read.discoverableTimeout == nil)
        let hasBoth = properties["MinInterval"] != nil
        #expect(
            read.advertisement.interval
                == (hasBoth ? AdvertisingInterval(32) : AdvertisementProperties.standardInterval))
    }

    @Test func includedAppearanceIsThatOfNoAdapter() throws {
        let read = try AdvertisementProperties(["Includes": .strings(["appearance"])], Self.context)
        #expect(read.advertisement.advertisingData.bytes == Self.bytes("03190000"))
    }

    @Test func endOfDiscoverabilityChangesFlagsOnly() {
        let data: AdvertisingData = [
            .flags([.limitedDiscoverable, .classicNotSupported]), .localName("a", isComplete: true),
        ]
        #expect(data.withoutDiscoverability.bytes == Self.bytes("020104 020961"))
    }
}
