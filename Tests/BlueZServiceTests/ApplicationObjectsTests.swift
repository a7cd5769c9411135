// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Testing

@testable import BlueZService

struct ApplicationObjectsTests {
    private static let service: ObjectPath = "/app/service0"
    private static let characteristic: ObjectPath = "/app/service0/char0"

    private static func entry(
        _ path: ObjectPath, _ interface: String, _ properties: [String: DBusValue]
    ) -> DBusDictionaryEntry {
        DBusDictionaryEntry(
            .objectPath(path),
            .dictionary(
                "s", "a{sv}", [DBusDictionaryEntry(.string("org.bluez.\(interface)"), .variants(properties))]))
    }

    private static let serviceEntry = entry(service, "GattService1", ["UUID": "fff0", "Primary": true])

    private static func characteristicEntry(_ more: [String: DBusValue] = [:]) -> DBusDictionaryEntry {
        let standard: [String: DBusValue] = [
            "UUID": "fff1", "Service": .objectPath(service), "Flags": .strings(["read", "notify"]),
        ]
        return entry(characteristic, "GattCharacteristic1", more.merging(standard) { first, _ in first })
    }

    private static func fault(_ entries: [DBusDictionaryEntry]) -> ApplicationObjects.Fault? {
        do throws(ApplicationObjects.Fault) {
            _ = try ApplicationObjects(entries)
            return nil
        } catch {
            return error
        }
    }

    @Test func objectsAreReadInAnyOrder() throws {
        let descriptor = Self.entry(
            "/app/service0/char0/desc0", "GattDescriptor1",
            ["UUID": "2901", "Characteristic": .objectPath(Self.characteristic), "Flags": .strings(["read"])])
        let second = Self.entry(
            "/app/service1", "GattService1",
            ["UUID": "180d", "Primary": false, "Includes": .objectPaths([Self.service])])
        let acquiring = Self.characteristicEntry(["NotifyAcquired": false])
        let objects = try ApplicationObjects([descriptor, acquiring, second, Self.serviceEntry])
        #expect(objects.services.map(\.uuid) == [.bit16(0x180D), .bit16(0xFFF0)])
        #expect(objects.services[0].includedServices == [.bit16(0xFFF0)] && !objects.services[0].isPrimary)
        let characteristic = try #require(objects.services[1].characteristics.first)
        #expect(characteristic.flags.properties == [.read, .notify])
        #expect(characteristic.offersNotifySocket && !characteristic.offersWriteSocket)
        #expect(characteristic.descriptors.map(\.uuid) == [.bit16(0x2901)])
        #expect(objects.warnings.isEmpty)
    }

    @Test func descriptorsOfTheServerAreNotServedTwice() throws {
        let descriptor = Self.entry(
            "/app/d", "GattDescriptor1", ["UUID": "2902", "Characteristic": .objectPath(Self.characteristic)])
        let objects = try ApplicationObjects([Self.serviceEntry, Self.characteristicEntry(), descriptor])
        #expect(objects.services[0].characteristics[0].descriptors.isEmpty)
        #expect(objects.warnings.count == 1)
    }

    @Test(
        arguments: [
            (["read"], ServedDescriptor(read: [], write: nil)), (["write"], ServedDescriptor(read: nil, write: [])),
            (
                ["encrypt-read", "secure-write"],
                ServedDescriptor(read: .encryption, write: [.encryption, .authentication])
            ),
            (["notify"], nil), (["write-without-response"], nil), (["fly"], nil), ([], nil),
        ] as [([String], ServedDescriptor?)])
    func flagsOfADescriptorAreItsUses(_ flags: [String], _ expected: ServedDescriptor?) throws {
        let path: ObjectPath = "/app/d"
        let entries = [
            Self.serviceEntry, Self.characteristicEntry(),
            Self.entry(
                path, "GattDescriptor1",
                [
                    "UUID": "2901", "Characteristic": .objectPath(Self.characteristic), "Flags": .strings(flags),
                    "Handle": .uint16(0),
                ]),
        ]
        guard let expected else {
            #expect(Self.fault(entries) == .invalid(path, property: "Flags"))
            return
        }
        let descriptor = try ApplicationObjects(entries).services[0].characteristics[0].descriptors[0]
        #expect(descriptor.service == expected && descriptor.hasHandle)
    }

    @Test func handlesFollowThoseOfTheAdapter() {
        let served = GATTDescriptor(uuid: .bit16(0x2901), ServedDescriptor(read: [], write: []))
        let services = [
            GATTService(
                uuid: .bit16(0xFFF0),
                characteristics: [
                    GATTCharacteristic(
                        uuid: .bit16(0xFFF1), properties: [.read, .notify, .extendedProperties],
                        descriptors: [.extendedProperties(.reliableWrite), served, served]),
                    GATTCharacteristic(uuid: .bit16(0xFFF1), properties: .read, descriptors: [served]),
                ]),
            GATTService(uuid: .bit16(0xFFF2), characteristics: []),
        ]
        // Generic Access has 5 attributes, Generic Attribute 8.
        let table = ServiceHandles.table(of: services)
        #expect(table.map(\.declaration) == [14, 24])
        #expect(table[0].characteristics.map(\.value) == [16, 22])
        #expect(table[0].characteristics.map(\.served) == [[19, 20], [23]])
    }

    @Test func objectsThatCannotBeServedAreRefused() {
        #expect(Self.fault([]) == .noObject)
        #expect(Self.fault([Self.entry("/app", "Other1", [:])]) == .noObject)
        #expect(
            Self.fault([Self.characteristicEntry()]) == .invalid(Self.characteristic, property: "Service"))
        #expect(
            Self.fault([Self.entry("/s", "GattService1", ["UUID": "1800", "Primary": true])])
                == .invalid("/s", property: "UUID"))
        #expect(Self.fault([Self.entry("/s", "GattService1", ["UUID": "fff0"])]) == .invalid("/s", property: "Primary"))
        for flags in [.strings([]), .strings(["fly"]), "read", .strings(["encrypt-fly"])] as [DBusValue] {
            #expect(
                Self.fault([Self.serviceEntry, Self.characteristicEntry(["Flags": flags])])
                    == .invalid(Self.characteristic, property: "Flags"))
        }
        let many = (0...ApplicationObjects.capacity).map { _ in Self.serviceEntry }
        #expect(Self.fault(many) == .tooMany)
    }

    @Test func flagsHaveTheirSecurity() throws {
        let plain = try #require(
            CharacteristicFlags(["read", "write", "write-without-response", "indicate", "broadcast"]))
        #expect(plain.properties == [.read, .write, .writeWithoutResponse, .indicate, .broadcast])
        #expect(plain.permissions == .open)
        let secured = try #require(
            CharacteristicFlags(["encrypt-read", "secure-write", "encrypt-authenticated-notify", "reliable-write"]))
        #expect(secured.properties == [.read, .write, .notify, .extendedProperties])
        #expect(secured.permissions.read == .encryption)
        #expect(secured.permissions.write == [.encryption, .authentication])
        #expect(secured.permissions.subscribe == [.encryption, .authentication])
        #expect(secured.extended == .reliableWrite)
    }

    @Test(
        arguments: [
            ("Failed", "", 0x80), ("Failed", "0x81", 0x81), ("Failed", "0x7f", 0x80), ("Failed", "0xyz", 0x80),
            ("NotSupported", "", 0x06), ("NotAuthorized", "", 0x08), ("InvalidValueLength", "", 0x0D),
            ("InvalidOffset", "", 0x07), ("NotPermitted", "", 0x02), ("InProgress", "", 0xFE),
            ("ImproperlyConfigured", "", 0xFD), ("Other", "", 0x0E),
        ] as [(String, String, UInt8)])
    func errorOfAProgramIsAnATTError(_ name: String, _ text: String, _ code: UInt8) {
        let error = DBusError(name: "org.bluez.Error.\(name)", message: text)
        #expect(ATTError(error, refusing: .readNotPermitted).rawValue == code)
    }
}
