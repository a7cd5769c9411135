// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// `org.bluez.Adapter1` (bluez 5.82 doc/org.bluez.Adapter.rst).
enum AdapterDeclaration {
    static let name = "org.bluez.Adapter1"

    static let interface = InterfaceDeclaration(
        name,
        methods: [
            MethodDeclaration("StartDiscovery"),
            MethodDeclaration("StopDiscovery"),
            MethodDeclaration("SetDiscoveryFilter", in: ["properties": "a{sv}"]),
            MethodDeclaration("GetDiscoveryFilters", out: ["filters": "as"]),
            MethodDeclaration("RemoveDevice", in: ["device": "o"]),
            MethodDeclaration("ConnectDevice", in: ["properties": "a{sv}"], out: ["device": "o"]),
        ],
        properties: [
            PropertyDeclaration("Address", "s"),
            PropertyDeclaration("AddressType", "s"),
            PropertyDeclaration("Name", "s"),
            PropertyDeclaration("Alias", "s", .readWrite),
            PropertyDeclaration("Class", "u"),
            PropertyDeclaration("Connectable", "b", .readWrite),
            PropertyDeclaration("Powered", "b", .readWrite),
            PropertyDeclaration("PowerState", "s"),
            PropertyDeclaration("Discoverable", "b", .readWrite),
            PropertyDeclaration("DiscoverableTimeout", "u", .readWrite),
            PropertyDeclaration("Pairable", "b", .readWrite),
            PropertyDeclaration("PairableTimeout", "u", .readWrite),
            PropertyDeclaration("Discovering", "b"),
            PropertyDeclaration("UUIDs", "as"),
            PropertyDeclaration("Modalias", "s"),
            PropertyDeclaration("Roles", "as"),
            PropertyDeclaration("ExperimentalFeatures", "as"),
            PropertyDeclaration("Manufacturer", "q"),
            PropertyDeclaration("Version", "y"),
        ])
}
