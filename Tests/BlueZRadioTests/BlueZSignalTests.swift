// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@testable import BlueZRadio

@Suite struct BlueZSignalTests {
    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let service: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0010"
    private static let characteristic: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0010/char0011"

    private static func signal(_ path: ObjectPath, _ member: String, _ body: [DBusValue]) -> DBusMessage {
        .signal(path: path, interface: "org.example.Any", member: member, body: body)
    }

    private static func added(_ path: ObjectPath, _ interface: String, _ properties: [String: DBusValue]) -> DBusMessage
    {
        signal(
            .root, "InterfacesAdded",
            [
                .objectPath(path),
                .dictionary("s", "a{sv}", [DBusDictionaryEntry(.string(interface), .variants(properties))]),
            ])
    }

    private static func removed(_ path: ObjectPath, _ interface: String) -> DBusMessage {
        signal(.root, "InterfacesRemoved", [.objectPath(path), .strings([interface])])
    }

    private static func changed(
        _ path: ObjectPath, _ interface: String, _ changed: [String: DBusValue], _ invalidated: [String] = []
    ) -> DBusMessage {
        signal(path, "PropertiesChanged", [.string(interface), .variants(changed), .strings(invalidated)])
    }

    private static let cases: [(DBusMessage, [BlueZSignal])] = [
        (signal("/org/freedesktop/DBus", "NameOwnerChanged", ["org.bluez", "", ":1.2"]), [.daemonChanged]),
        (added("/org/bluez", "org.bluez.AgentManager1", [:]), [.adapterChanged([])]),
        (added(adapter, "org.bluez.Adapter1", ["Powered": true]), [.adapterChanged([])]),
        (added(adapter, "org.bluez.LEAdvertisingManager1", [:]), [.adapterChanged([])]),
        (removed(adapter, "org.bluez.Adapter1"), [.adapterChanged([])]),
        (changed(adapter, "org.bluez.Adapter1", ["Powered": false]), [.adapterChanged(["Powered"])]),
        (added(device, "org.bluez.Device1", ["Name": "N"]), [.deviceAdded(device, ["Name": "N"])]),
        (removed(device, "org.bluez.Device1"), [.deviceRemoved(device)]),
        (
            changed(device, "org.bluez.Device1", ["Connected": true], ["RSSI"]),
            [.deviceChanged(device, changed: ["Connected": true], invalidated: ["RSSI"])]
        ),
        (
            signal(device, "Disconnected", ["org.bluez.Reason.Timeout", "timeout"]),
            [.deviceDisconnected(device, reason: "timeout")]
        ),
        (
            added(service, "org.bluez.GattService1", ["Primary": true]),
            [.serviceChanged(service, isPresent: true)]
        ),
        (added(service, "org.bluez.GattService1", ["Primary": false]), []),
        (removed(service, "org.bluez.GattService1"), [.serviceChanged(service, isPresent: false)]),
        (
            changed(characteristic, "org.bluez.GattCharacteristic1", ["Value": .bytes([1])]),
            [.valueChanged(characteristic: characteristic, [1])]
        ),
        (
            changed(characteristic, "org.bluez.GattCharacteristic1", ["Notifying": true]),
            [.characteristicChanged(characteristic)]
        ),
        (
            changed(characteristic, "org.bluez.GattCharacteristic1", ["Value": .bytes([1]), "Notifying": false]),
            [.valueChanged(characteristic: characteristic, [1]), .characteristicChanged(characteristic)]
        ),
        (added(characteristic, "org.bluez.GattCharacteristic1", [:]), []),
        (changed(device, "org.bluez.Battery1", ["Percentage": .byte(1)]), []),
    ]

    @Test(arguments: cases.indices)
    func signalIsParsed(_ index: Int) {
        let (message, signals) = Self.cases[index]
        #expect(BlueZSignal.parse(message) == signals)
    }

    @Test(arguments: ["InterfacesAdded", "InterfacesRemoved", "PropertiesChanged", "Disconnected", "Other"])
    func malformedSignalIsIgnored(_ member: String) {
        for body in [[], ["text"], [.int16(1), .int16(2)], [.objectPath(Self.device), "text"], ["a", "b", "c"]]
            as [[DBusValue]]
        where member != "Disconnected" || body.count < 2 {
            #expect(BlueZSignal.parse(Self.signal(Self.device, member, body)).isEmpty)
        }
    }
}
