// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// Messages with every type, kind and header field.
enum Samples {
    static let values: [DBusValue] = [
        .byte(0), .byte(255), .boolean(true), .boolean(false),
        .int16(.min), .int16(.max), .uint16(.max), .int32(.min), .int32(.max), .uint32(.max),
        .int64(.min), .int64(.max), .uint64(.max), .double(-0.5), .double(.infinity),
        .string(""), .string("Grüße \u{1F4E1}"), .objectPath(.root), .objectPath("/org/bluez/hci0"),
        .signature(""), .signature("a{sv}(yyy)"), .bytes([]), .bytes([0, 1, 254, 255]),
        .array("s", []), .strings(["a", "", "c"]), .objectPaths(["/a", "/b"]),
        .array("ay", [.bytes([1]), .bytes([])]), .array("aay", []), .array("v", [.variant(.byte(1)), .variant("x")]),
        .structure([.byte(1), .structure([.uint64(2)]), "three"]),
        .array("(yt)", [.structure([.byte(1), .uint64(2)]), .structure([.byte(3), .uint64(4)])]),
        .dictionary("s", "v", []), .variants(["Name": "beacon", "Powered": true]),
        .dictionary("q", "ay", [DBusDictionaryEntry(.uint16(76), .bytes([2, 21]))]),
        .dictionary("y", "a{sv}", [DBusDictionaryEntry(.byte(9), .variants(["x": .double(1)]))]),
        .variant(.variant(.variant(.byte(1)))), .variant(.array("n", [.int16(-1)])),
        .variant(.dictionary("o", "a{sa{sv}}", [])),
    ]

    static var messages: [DBusMessage] {
        var all: [DBusMessage] = [
            .methodCall(
                destination: "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.LEAdvertisingManager1",
                member: "RegisterAdvertisement", body: [.objectPath("/beacon"), .variants([:])]),
            .methodCall(destination: nil, path: "/", interface: nil, member: "Ping"),
            .methodReturn(to: 7, destination: ":1.5", body: values),
            .error(DBusError(name: "org.bluez.Error.Failed", message: "no"), to: 8, destination: ":1.5"),
            .signal(
                path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded",
                body: [
                    .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01"),
                    .dictionary(
                        "s", "a{sv}",
                        [
                            DBusDictionaryEntry(
                                "org.bluez.Device1",
                                .variants([
                                    "RSSI": .int16(-60),
                                    "ManufacturerData": .dictionary(
                                        "q", "v", [DBusDictionaryEntry(.uint16(76), .variant(.bytes([2, 21])))]),
                                ]))
                        ]),
                ]),
        ]
        for index in all.indices { all[index].serial = UInt32(index + 1) }
        all[0].sender = ":1.2"
        all[0].expectsReply = false
        return all
    }
}
