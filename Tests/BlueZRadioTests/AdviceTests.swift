// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio
import Testing

@testable import BlueZRadio

/// Hints that depend on bluetoothd.
@Suite struct AdviceTests {
    private static let failed = DBusError(name: "org.bluez.Error.Failed", message: "Failed to register advertisement")
    private static let full = DBusError(name: "org.bluez.Error.NotPermitted", message: "Maximum advertisements reached")

    /// K1: kernels of mid-2026 refuse the commands of these versions.
    @Test(arguments: [
        (BlueZVersion(5, 55), false), (BlueZVersion(5, 56), true), (BlueZVersion(5, 82), true), (nil, true),
        (BlueZVersion(5, 86), true), (BlueZVersion(5, 87), false),
    ])
    func refusalOfEveryAdvertisementIsExplained(_ version: BlueZVersion?, isNamed: Bool) {
        let hint = BusAdvertiser.hint(for: Self.failed, daemon: version)
        #expect(hint.contains("kernels of mid-2026") == isNamed)
        #expect(hint.contains("CAP_NET_ADMIN"))
    }

    /// B3.
    @Test func unfinishedRegistrationsAreReleasedByARestart() {
        #expect(BusAdvertiser.hint(for: Self.full, daemon: nil).contains("systemctl restart bluetooth"))
    }

    /// B4.
    @Test(
        arguments: [
            (["0000180a-0000-1000-8000-00805f9b34fb"], 0x180A, true),
            (["0000180a-0000-1000-8000-00805f9b34fb"], 0x180F, false),
            (["00001800-0000-1000-8000-00805f9b34fb"], 0x180A, false), (nil, 0x180A, false),
        ] as [([String]?, UInt16, Bool)])
    func secondDeviceInformationIsFound(_ uuids: [String]?, service: UInt16, isFound: Bool) throws {
        var properties: [String: DBusValue] = ["Address": "00:AA:01:00:00:00"]
        properties["UUIDs"] = uuids.map { .strings($0) }
        let adapter = try #require(
            BlueZAdapter(path: "/org/bluez/hci0", interfaces: ["org.bluez.Adapter1": .variants(properties)]))
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"),
            services: [GATTService(uuid: .bit16(service), characteristics: [])], advertisement: nil)
        let warning = BlueZForecast.deviceInformationWarning(of: beacon, on: adapter)
        #expect((warning != nil) == isFound)
        if isFound { #expect(warning?.hint.contains("DeviceID = false") == true) }
    }
}
