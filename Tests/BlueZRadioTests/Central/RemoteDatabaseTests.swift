// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio
import Testing

@testable import BlueZRadio

@Suite struct RemoteDatabaseTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let battery = "0000180f-0000-1000-8000-00805f9b34fb"
    private static let level = "00002a19-0000-1000-8000-00805f9b34fb"
    private static let long = "2173e519-9155-4862-ab64-7953ab146156"

    private static func object(
        _ path: String, _ interface: String, _ properties: [String: DBusValue]
    ) throws -> DBusDictionaryEntry {
        DBusDictionaryEntry(
            .objectPath(try ObjectPath(path)),
            .dictionary("s", "a{sv}", [DBusDictionaryEntry(.string(interface), .variants(properties))]))
    }

    private static func service(_ path: String, _ uuid: String, isPrimary: Bool = true) throws -> DBusDictionaryEntry {
        try object(
            "\(device)/\(path)", "org.bluez.GattService1", ["UUID": .string(uuid), "Primary": .boolean(isPrimary)])
    }

    private static func characteristic(
        _ path: String, _ uuid: String, _ flags: [String] = ["read"]
    ) throws -> DBusDictionaryEntry {
        try object(
            "\(device)/\(path)", "org.bluez.GattCharacteristic1", ["UUID": .string(uuid), "Flags": .strings(flags)])
    }

    private static func descriptor(_ path: String, _ uuid: String) throws -> DBusDictionaryEntry {
        try object("\(device)/\(path)", "org.bluez.GattDescriptor1", ["UUID": .string(uuid)])
    }

    @Test func treeIsParsed() throws {
        let database = RemoteDatabase(
            of: Self.device,
            in: [
                try Self.descriptor("service0010/char0011/desc0014", "00002901-0000-1000-8000-00805f9b34fb"),
                try Self.descriptor("service0010/char0011/desc0013", "00002902-0000-1000-8000-00805f9b34fb"),
                try Self.characteristic("service0010/char0015", Self.long, ["write", "write-without-response"]),
                try Self.characteristic("service0010/char0011", Self.level, ["read", "notify", "encrypt-read"]),
                try Self.service("service0100", Self.long),
                try Self.service("service0010", Self.battery),
                try Self.object("/org/bluez/hci0", "org.bluez.Adapter1", [:]),
            ])
        #expect(database.services.map(\.uuid) == [.bit16(0x180F), .bit128(try #require(UUID128(Self.long)))])
        #expect(database.services.map(\.handles) == [0x0010...0x0016, 0x0100...0x0100])
        #expect(database.services[0].uuid.description == "180F")
        let found = database.characteristics(of: database.services[0])
        #expect(found.map(\.declaration) == [0x0011, 0x0015])
        #expect(found.map(\.value) == [0x0012, 0x0016])
        #expect(found.map(\.end) == [0x0014, 0x0016])
        #expect(found.map(\.properties) == [[.read, .notify], [.write, .writeWithoutResponse]])
        #expect(database.descriptors(of: found[0]).map(\.handle) == [0x0013, 0x0014])
        #expect(database.descriptors(of: found[0]).map(\.uuid) == [.bit16(0x2902), .bit16(0x2901)])
        #expect(database.descriptors(of: found[1]).isEmpty)
        #expect(database.characteristics(of: database.services[1]).isEmpty)
        let path = try ObjectPath("\(Self.device)/service0010/char0011")
        #expect(database.place(of: 0x0012)?.path == path)
        #expect(database.place(of: 0x0012)?.interface == "org.bluez.GattCharacteristic1")
        #expect(database.place(of: 0x0013)?.interface == "org.bluez.GattDescriptor1")
        // A declaration is not an attribute of bluetoothd.
        #expect(database.place(of: 0x0011) == nil)
        #expect(database.value(at: path) == 0x0012)
        #expect(database.value(at: Self.device) == nil)
        #expect(database.anyCharacteristic != nil)
    }

    @Test func foreignObjectsAreIgnored() throws {
        let other = "/org/bluez/hci0/dev_C0_FF_EE_00_00_02"
        let service: [String: DBusValue] = ["UUID": .string(Self.battery), "Primary": true]
        let strangers = [
            try Self.object("\(other)/service0010", "org.bluez.GattService1", service),
            try Self.object("\(Self.device)0/service0010", "org.bluez.GattService1", service),
            try Self.service("service0020", Self.battery, isPrimary: false),
            try Self.service("service0030", "rubbish"),
            try Self.service("service0000", Self.battery),
            try Self.service("service004", Self.battery),
            try Self.service("service00050", Self.battery),
            try Self.service("servicezzzz", Self.battery),
            try Self.service("player0060", Self.battery),
            try Self.object("\(Self.device)/service0070", "org.bluez.GattService1", ["Primary": true]),
            try Self.object("\(Self.device)/service0080", "org.bluez.GattService1", ["UUID": .string(Self.battery)]),
            try Self.characteristic("service0020/char0021", Self.level),
            DBusDictionaryEntry("not a path", .int16(1)),
        ]
        let database = RemoteDatabase(of: Self.device, in: strangers)
        #expect(database.services.isEmpty)
        #expect(database.anyCharacteristic == nil)
        #expect(database.place(of: 0x0022) == nil)
    }

    @Test func lastHandleHasNoValue() throws {
        let database = RemoteDatabase(
            of: Self.device,
            in: [
                try Self.service("serviceFFFE", Self.battery),
                try Self.characteristic("serviceFFFE/charFFFF", Self.level),
            ])
        #expect(database.services.map(\.handles) == [0xFFFE...0xFFFE])
        #expect(database.characteristics(of: database.services[0]).isEmpty)
    }

    @Test func removedServicesAreForgotten() throws {
        var database = RemoteDatabase(
            of: Self.device,
            in: [
                try Self.service("service0010", Self.battery),
                try Self.characteristic("service0010/char0011", Self.level),
                try Self.descriptor("service0010/char0011/desc0013", "00002902-0000-1000-8000-00805f9b34fb"),
                try Self.service("service0020", Self.long),
                try Self.characteristic("service0020/char0021", Self.long),
            ])
        let path = try ObjectPath("\(Self.device)/service0010")
        let service = database.services[0]
        #expect(database.hasService(at: path))
        #expect(!database.hasService(at: try ObjectPath("\(Self.device)/service0030")))
        #expect(database.removeService(at: path) == [0x0012])
        #expect(!database.hasService(at: path))
        #expect(database.services.map(\.handles) == [0x0020...0x0022])
        #expect(database.characteristics(of: service).isEmpty)
        #expect(database.place(of: 0x0012) == nil)
        #expect(database.place(of: 0x0013) == nil)
        #expect(database.place(of: 0x0022) != nil)
        #expect(database.removeService(at: path).isEmpty)
    }
}
