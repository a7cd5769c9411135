// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import Radio
import Testing

@testable import BlueZRadio

@Suite struct DevicePropertiesTests {
    private static let identity: [String: DBusValue] = ["Address": "C0:FF:EE:00:00:01", "AddressType": "random"]

    private static func device(_ more: [String: DBusValue]) -> DeviceProperties {
        DeviceProperties(identity.merging(more) { $1 })
    }

    private static func dictionary(_ key: DBusSignature, _ entries: [(DBusValue, [UInt8])]) -> DBusValue {
        .dictionary(key, "v", entries.map { DBusDictionaryEntry($0, .variant(.bytes($1))) })
    }

    @Test(arguments: [
        ([:], ""),
        (["AdvertisingFlags": .bytes([6])], "020106"),
        // 0 means missing flags.
        (["AdvertisingFlags": .bytes([0])], ""),
        (["UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb"])], "03030f18"),
        (
            [
                "UUIDs": .strings([
                    "2173e519-9155-4862-ab64-7953ab146156", "0000180f-0000-1000-8000-00805f9b34fb", "rubbish",
                    "12345678-0000-1000-8000-00805f9b34fb", "0000180a-0000-1000-8000-00805f9b34fb",
                ])
            ],
            "05030f180a18" + "050578563412" + "1107566114ab537964ab6248559119e57321"
        ),
        (["Name": "Rig1"], "050952696731"),
        (["Name": ""], ""),
        (["TxPower": .int16(-6)], "020afa"),
        (["TxPower": .int16(300)], ""),
        (
            ["ManufacturerData": dictionary("q", [(.uint16(0x004C), [2, 21]), (.uint16(0xFFFF), [])])],
            "05ff4c000215" + "03ffffff"
        ),
        (
            [
                "ServiceData": dictionary(
                    "s",
                    [
                        ("0000feaa-0000-1000-8000-00805f9b34fb", [0x10, 0]),
                        ("12345678-0000-1000-8000-00805f9b34fb", [1]),
                        ("2173e519-9155-4862-ab64-7953ab146156", [2]),
                    ])
            ],
            "0516aafe1000" + "06207856341201" + "1221566114ab537964ab6248559119e5732102"
        ),
        (["AdvertisingData": dictionary("y", [(.byte(0x24), [0x17, 0x2F])])], "0324172f"),
        // Values of unexpected types are ignored.
        (["Name": .int16(1), "UUIDs": "0000180f", "TxPower": "no", "ManufacturerData": .bytes([1])], ""),
        (["ServiceData": dictionary("q", [(.uint16(1), [1])]), "AdvertisingFlags": .bytes([])], ""),
    ])
    func becomeAdvertisingData(_ properties: [String: DBusValue], data: String) throws {
        let sighting = try #require(Self.device(properties).sighting)
        #expect(Hexadecimal.string(sighting.data) == data)
        #expect(sighting.pdu == nil)
        #expect(sighting.device.description == "C0:FF:EE:00:00:01 (random)")
        _ = try AdvertisingData(parsing: sighting.data)
    }

    @Test func longDataIsTruncatedToWholeStructures() throws {
        let long = Self.dictionary("q", [(.uint16(1), [UInt8](repeating: 7, count: 400))])
        let sighting = try #require(Self.device(["ManufacturerData": long, "Name": "N"]).sighting)
        let parsed = try AdvertisingData(parsing: sighting.data)
        #expect(parsed.structures.map(\.type) == [0x09, 0xFF])
    }

    @Test(arguments: [
        (DBusValue.int16(-59), RSSI?.some(RSSI(-59))), (.int16(127), nil), (.int16(-300), nil), (.string("-59"), nil),
    ])
    func rssiIsParsed(_ value: DBusValue, rssi: RSSI?) {
        #expect(Self.device(["RSSI": value]).sighting?.rssi == rssi)
    }

    @Test(
        arguments: [
            [:], ["Address": "C0:FF:EE:00:00:01"], ["AddressType": "random"],
            ["Address": "no address", "AddressType": "random"], ["Address": .int16(1), "AddressType": "public"],
        ] as [[String: DBusValue]])
    func propertiesWithoutAddressAreNoSighting(_ properties: [String: DBusValue]) {
        #expect(DeviceProperties(properties).sighting == nil)
    }

    @Test func changesAreApplied() {
        var device = Self.device(["RSSI": .int16(-40), "Name": "Before", "Connected": true])
        #expect(device.isInRange)
        #expect(device.isConnected)
        device.change(["Name": "N", "Connected": false, "ServicesResolved": true], invalidated: ["RSSI", "Unknown"])
        #expect(!device.isInRange)
        #expect(!device.isConnected)
        #expect(device.areServicesResolved)
        #expect(device.sighting?.data == [2, 9, 0x4E])
    }

    @Test(arguments: [
        (["RSSI"], true), (["ManufacturerData"], true), (["ServiceData", "Name"], true), (["AdvertisingData"], true),
        (["Connected"], false), (["ServicesResolved", "UUIDs", "Name", "Alias"], false), ([], false),
    ])
    func changesOfAdvertisedPropertiesAreSightings(_ names: [String], isSighting: Bool) {
        let changed = Dictionary(uniqueKeysWithValues: names.map { ($0, DBusValue.boolean(true)) })
        #expect(DeviceProperties.isSighting(changed) == isSighting)
    }
}
