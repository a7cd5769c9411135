// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Radio
import TestSupport
import TestTraits
import Testing

@testable import BlueZRadio

@Suite struct AdapterSelectorTests {
    @Test(arguments: [
        ("hci0", "bluez:hci0"), ("hci12", "bluez:hci12"), ("hci65535", "bluez:hci65535"),
        ("00:aa:01:00:00:00", "bluez:00:AA:01:00:00:00"),
    ])
    func isParsed(_ text: String, description: String) throws {
        let selector = try #require(AdapterSelector(text))
        #expect(selector.description == description)
        #expect(AdapterSelector(String(description.dropFirst("bluez:".count))) == selector)
    }

    @Test(arguments: [
        "", "hci", "hci-1", "hci+1", "hci01", "hci65536", "hci0 ", "HCI0", "hci0/1", "0", "00:AA:01:00:00",
        "usb0", "hci１", "ha0", "hc",
    ])
    func otherTextIsRefused(_ text: String) {
        #expect(AdapterSelector(text) == nil)
    }

    private static func adapter(_ number: Int, isPowered: Bool) throws -> BlueZAdapter {
        try #require(
            BlueZAdapter(
                path: try ObjectPath("/org/bluez/hci\(number)"),
                interfaces: [
                    "org.bluez.Adapter1": .variants([
                        "Address": .string("00:AA:01:00:00:0\(number)"), "Powered": .boolean(isPowered),
                    ])
                ]))
    }

    /// A17: cheap dongles have one address. The radio stays with the name, and the ledger has one key for each.
    @Test(.timeLimit(.minutes(10)), .realTime) func adaptersWithOneAddressAreDistinguished() async throws {
        try await TestBus.with { bus in
            let daemon = try await FakeBluetoothd.start(on: bus)
            for (number, address) in [(1, "00:AA:01:00:00:00"), (2, "00:AA:01:00:00:02")] {
                try await daemon.add(
                    try ObjectPath("/org/bluez/hci\(number)"), "org.bluez.Adapter1",
                    ["Address": .string(address), "Powered": true])
            }
            let connection = try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
            let adapters = try await BlueZDaemon.find(on: connection).adapters()
            #expect(adapters.map(\.hasUniqueAddress) == [false, false, true])
            #expect(
                adapters.map(\.identity) == ["00:AA:01:00:00:00-hci0", "00:AA:01:00:00:00-hci1", "00:AA:01:00:00:02"])
            let notes = RadioSurvey.addressNotes(adapters)
            #expect(notes.count == 1)
            #expect(notes.first?.hasPrefix("hci0 and hci1 have the same address, 00:AA:01:00:00:00") == true)
            for (adapter, found) in [(adapters[1], "hci1"), (adapters[2], "hci2")] {
                let access = DaemonAccess(.any, rules: []) { () async throws(RadioError) in connection }
                access.settle(on: adapter)
                #expect(try await access.find { _ in }.adapter.name == found)
            }
            await connection.close()
        }
    }

    /// A3, A21: a controller that did not start has the address zero.
    @Test(.timeLimit(.minutes(10)), .realTime) func adapterWithoutAddressIsNotUsable() async throws {
        try await TestBus.with { bus in
            let daemon = try await FakeBluetoothd.start(on: bus)
            try await daemon.add(
                "/org/bluez/hci1", "org.bluez.Adapter1", ["Address": "00:00:00:00:00:00", "Powered": true])
            let connection = try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
            let bluez = try await BlueZDaemon.find(on: connection)
            let error = await #expect(throws: RadioError.self) {
                _ = try await AdapterSelector.name("hci1").usableAdapter(of: bluez)
            }
            #expect(error?.message == "hci1 has the address 00:00:00:00:00:00")
            #expect(RadioSurvey.addressNotes(try await bluez.adapters()).count == 1)
            await connection.close()
        }
    }

    /// A daemon that ends during a call does not run any more: it is neither the bus that cannot be reached, nor hanging.
    @Test(.timeLimit(.minutes(10)), .realTime) func daemonThatEndsDuringACallIsOff() async throws {
        try await TestBus.with { bus in
            let daemon = try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
            let ending = ExportedInterface(
                "org.freedesktop.DBus.ObjectManager",
                methods: [
                    "GetManagedObjects": { _ in
                        await daemon.close()
                        return .success([])
                    }
                ])
            try await daemon.export(ExportedObject(path: .root, interfaces: [ending]))
            try await daemon.requestName("org.bluez")
            let connection = try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
            let bluez = try await BlueZDaemon.find(on: connection)
            let ended = await #expect(throws: RadioError.self) { _ = try await bluez.adapters() }
            let absent = await #expect(throws: RadioError.self) { _ = try await BlueZDaemon.find(on: connection) }
            #expect(ended == absent && ended?.code == .noDaemon)
            await connection.close()
        }
    }

    @Test func selectsAmongPresentAdapters() throws {
        let adapters = [
            try Self.adapter(0, isPowered: false), try Self.adapter(1, isPowered: true),
            try Self.adapter(2, isPowered: true),
        ]
        #expect(AdapterSelector.any.choose(from: adapters)?.name == "hci1")
        #expect(AdapterSelector.any.choose(from: [adapters[0]])?.name == "hci0")
        #expect(AdapterSelector.any.choose(from: []) == nil)
        #expect(AdapterSelector.any.description == "bluez")
        #expect(AdapterSelector("hci2")?.choose(from: adapters)?.name == "hci2")
        #expect(AdapterSelector("hci3")?.choose(from: adapters) == nil)
        #expect(AdapterSelector("00:AA:01:00:00:00")?.choose(from: adapters)?.name == "hci0")
        #expect(AdapterSelector("00:AA:01:00:00:09")?.choose(from: adapters) == nil)
    }
}

@Suite struct BlueZAdapterTests {
    private static let path: ObjectPath = "/org/bluez/hci3"
    private static let adapter = DBusValue.variants([
        "Address": "00:AA:01:00:00:03", "Powered": true, "Modalias": "usb:v1D6Bp0246d0542",
    ])

    @Test func legacyAdapterIsParsed() throws {
        let adapter = try #require(
            BlueZAdapter(
                path: Self.path,
                interfaces: [
                    "org.bluez.Adapter1": Self.adapter,
                    "org.bluez.LEAdvertisingManager1": .variants([
                        "ActiveInstances": .byte(1), "SupportedInstances": .byte(4),
                        "SupportedIncludes": .strings(["tx-power"]), "SupportedSecondaryChannels": .array("s", []),
                        "SupportedFeatures": .array("s", []),
                    ]),
                ]))
        #expect(adapter.name == "hci3")
        #expect(adapter.index == 3)
        #expect(adapter.address.description == "00:AA:01:00:00:03")
        #expect(adapter.isPowered)
        #expect(adapter.canAdvertise)
        #expect(!adapter.isExtended)
        #expect(adapter.freeInstances == 4)
        #expect(adapter.activeInstances == 1)
        #expect(!adapter.canSetTransmitPower)
        #expect(adapter.canIncludeTransmitPower)
        #expect(adapter.daemonVersion == BlueZVersion(5, 66))
    }

    @Test func extendedAdapterIsParsed() throws {
        let adapter = try #require(
            BlueZAdapter(
                path: Self.path,
                interfaces: [
                    "org.bluez.Adapter1": .variants(["Address": "00:AA:01:00:00:03", "Powered": false]),
                    "org.bluez.LEAdvertisingManager1": .variants([
                        "SupportedSecondaryChannels": .strings(["1M", "2M"]),
                        "SupportedFeatures": .strings(["CanSetTxPower", "HardwareOffload"]),
                    ]),
                ]))
        #expect(!adapter.isPowered)
        #expect(!adapter.isDiscoverable)
        #expect(adapter.hasDeviceInformation == nil)
        #expect(adapter.isExtended)
        #expect(adapter.canSetTransmitPower)
        #expect(!adapter.canIncludeTransmitPower)
        #expect(adapter.freeInstances == 0)
        #expect(adapter.daemonVersion == nil)
    }

    @Test func adapterWithoutAdvertisingIsParsed() throws {
        let adapter = try #require(BlueZAdapter(path: Self.path, interfaces: ["org.bluez.Adapter1": Self.adapter]))
        #expect(!adapter.canAdvertise)
        #expect(adapter.freeInstances == 0)
    }

    @Test(
        arguments: [
            [:], ["org.bluez.Device1": .variants(["Address": "00:AA:01:00:00:03"])],
            ["org.bluez.Adapter1": .variants([:])], ["org.bluez.Adapter1": .variants(["Address": .byte(1)])],
            ["org.bluez.Adapter1": .variants(["Address": "hci0"])], ["org.bluez.Adapter1": "text"],
        ] as [[String: DBusValue]])
    func otherObjectsAreNotAdapters(_ interfaces: [String: DBusValue]) {
        #expect(BlueZAdapter(path: Self.path, interfaces: interfaces) == nil)
    }

    @Test func devicePathContainsAddress() throws {
        let adapter = try #require(BlueZAdapter(path: Self.path, interfaces: ["org.bluez.Adapter1": Self.adapter]))
        let path = try #require(BlueZDevice.path(of: "C0:FF:EE:00:00:01", on: adapter))
        #expect(path == "/org/bluez/hci3/dev_C0_FF_EE_00_00_01")
        #expect(BlueZDevice.address(of: path)?.description == "C0:FF:EE:00:00:01")
        #expect(BlueZDevice.address(of: "/org/bluez/hci3") == nil)
        #expect(BlueZDevice.address(of: "/org/bluez/hci3/dev_C0_FF") == nil)
        #expect(BlueZDevice.path(of: "not an address", on: adapter) == nil)
    }
}

@Suite struct BlueZVersionTests {
    @Test(arguments: [
        ("usb:v1D6Bp0246d0542", 5, 66), ("usb:v1D6Bp0246d054F", 5, 79), ("usb:v1D6Bp0246d0552", 5, 82),
        ("usb:v1D6Bp0246d0600", 6, 0),
    ])
    func isParsedFromModalias(_ modalias: String, major: Int, minor: Int) {
        #expect(BlueZVersion(modalias: modalias) == BlueZVersion(major, minor))
    }

    @Test(arguments: [
        "", "usb:v1D6Bp0246", "usb:v1D6Bp0246d", "usb:v05ACp0246d0542", "bluetooth:v1D6Bp0246d0542",
        "usb:v1D6Bp0246dxyzw",
    ])
    func otherModaliasHasNoVersion(_ modalias: String) {
        #expect(BlueZVersion(modalias: modalias) == nil)
    }

    @Test func versionsAreOrderedByNumber() {
        #expect(BlueZVersion(5, 9) < BlueZVersion(5, 66))
        #expect(BlueZVersion(5, 82) < BlueZVersion(6, 0))
        #expect(BlueZVersion(5, 66).description == "5.66")
    }

    @Test(
        arguments: [
            (.init(isExperimental: nil), false, nil),
            (.init(isExperimental: false), false, nil), (.init(isExperimental: true), false, true),
            (.init(version: BlueZVersion(5, 66), isExperimental: nil), false, nil),
            (.init(version: BlueZVersion(5, 66), isExperimental: false), false, false),
            (.init(version: BlueZVersion(5, 66), isExperimental: true), false, true),
            (.init(version: BlueZVersion(5, 76), isExperimental: false), false, false),
            (.init(version: BlueZVersion(5, 77), isExperimental: false), false, true),
            (.init(version: BlueZVersion(5, 79), isExperimental: nil), false, true),
            (.init(version: BlueZVersion(5, 80), isExperimental: nil), true, true),
            (.init(version: BlueZVersion(6, 0), isExperimental: false), true, true),
        ] as [(DaemonCapabilities, Bool, Bool?)])
    func versionDecidesCapabilities(_ daemon: DaemonCapabilities, scanResponses: Bool, intervals: Bool?) {
        #expect(daemon.hasScanResponseProperties == scanResponses)
        #expect(daemon.honoursIntervals == intervals)
        #expect(AdvertisingWay.bus(daemon).honoursIntervals == intervals)
    }

    @Test func managementHonoursIntervals() {
        #expect(AdvertisingWay.management.honoursIntervals == true)
    }

    @Test(arguments: [
        (nil, false, false), (BlueZVersion(5, 66), false, true), (BlueZVersion(5, 68), false, true),
        (BlueZVersion(5, 69), true, true), (BlueZVersion(5, 85), true, true), (BlueZVersion(5, 86), true, false),
    ])
    func versionDecidesFlagsAndSetIdentifiers(_ version: BlueZVersion?, flags: Bool, identifiers: Bool) {
        let daemon = DaemonCapabilities(version: version)
        #expect(daemon.writesFlagsOfUndiscoverable == flags)
        #expect(daemon.takesAnySetIdentifier == identifiers)
    }
}
