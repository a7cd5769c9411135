// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// `org.bluez.Device1` (bluez 5.82 doc/org.bluez.Device.rst).
enum DeviceDeclaration {
    static let name = "org.bluez.Device1"

    static let interface = InterfaceDeclaration(
        name,
        methods: [
            MethodDeclaration("Connect"),
            MethodDeclaration("Disconnect"),
            MethodDeclaration("ConnectProfile", in: ["UUID": "s"]),
            MethodDeclaration("DisconnectProfile", in: ["UUID": "s"]),
            MethodDeclaration("Pair"),
            MethodDeclaration("CancelPairing"),
        ],
        properties: [
            PropertyDeclaration("Address", "s"),
            PropertyDeclaration("AddressType", "s"),
            PropertyDeclaration("Name", "s"),
            PropertyDeclaration("Alias", "s", .readWrite),
            PropertyDeclaration("Appearance", "q"),
            PropertyDeclaration("Icon", "s"),
            PropertyDeclaration("Paired", "b"),
            PropertyDeclaration("Bonded", "b"),
            PropertyDeclaration("Trusted", "b", .readWrite),
            PropertyDeclaration("Blocked", "b", .readWrite),
            PropertyDeclaration("LegacyPairing", "b"),
            PropertyDeclaration("RSSI", "n"),
            PropertyDeclaration("Connected", "b"),
            PropertyDeclaration("UUIDs", "as"),
            PropertyDeclaration("Modalias", "s"),
            PropertyDeclaration("Adapter", "o"),
            PropertyDeclaration("ManufacturerData", "a{qv}"),
            PropertyDeclaration("ServiceData", "a{sv}"),
            PropertyDeclaration("TxPower", "n"),
            PropertyDeclaration("ServicesResolved", "b"),
            PropertyDeclaration("AdvertisingFlags", "ay"),
            PropertyDeclaration("AdvertisingData", "a{yv}"),
        ],
        signals: [SignalDeclaration("Disconnected", ["name": "s", "message": "s"])])
}
