// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import KernelBluetooth
import Radio
import TestSupport
import TestTraits
import Testing

@testable import BlueZRadio

/// The whole radio over a real bus, with a bluetoothd of the test and without the kernel's channels.
@Suite(.realTime, .timeLimit(.minutes(10))) struct BlueZRadioTests {
    private static let beacon = BeaconIdentifier("beacon")
    private static let level = CharacteristicIdentifier(.bit16(0x2A19))

    private static func advertisement(_ number: UInt8) -> Advertisement {
        Advertisement(
            pdu: .connectableScannable,
            advertisingData: [
                .flags(.beacon), .manufacturerSpecific(CompanyIdentifier(0xFFFF), [number]),
            ], interval: AdvertisingInterval(160))
    }

    private static let battery = GATTService(
        uuid: .bit16(0x180F), characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .notify])])

    private static func hosted(
        services: [GATTService] = [], pairing: PairingSettings? = nil
    ) -> HostedBeacon {
        var hosted = HostedBeacon(identifier: beacon, services: services, advertisement: advertisement(1))
        hosted.pairing = pairing
        return hosted
    }

    /// A radio, the bluetoothd that it uses, and the events of the radio.
    private struct Rig {
        let bus: TestBus
        let daemon: FakeBluetoothd
        let radio: BlueZRadio
        let events: EventReader

        init(bus: TestBus) async throws {
            self.bus = bus
            daemon = try await FakeBluetoothd.start(on: bus)
            radio = BlueZRadio(
                .any, ledger: EmptyLedger(),
                openBus: { () async throws(RadioError) in
                    do throws(DBusError) {
                        return try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
                    } catch {
                        throw RadioError(.noDaemon, error.message, hint: "")
                    }
                }, openChannels: { .none })
            events = EventReader(radio.events)
        }

        func open(
            _ beacons: [HostedBeacon] = [BlueZRadioTests.hosted()],
            attributes: @escaping AttributeResponder = { _ in .failure(.unlikely) }
        ) async throws {
            let capabilities = try await radio.open(beacons, waits: false, attributes: attributes)
            #expect(capabilities.way == "D-Bus" && capabilities.instances == 5)
            #expect(capabilities.address?.description == "00:AA:01:00:00:00")
        }

        /// The next event.
        func next() async throws -> RadioEvent {
            let event = await events.next()
            return try #require(event)
        }

        /// The status of the next advertisement that started. Fails at another event.
        func started() async throws -> AdvertisingStatus {
            let event = try await next()
            guard case .advertising(BlueZRadioTests.beacon, let status) = event else {
                throw UnexpectedEvent(event: event)
            }
            return status
        }
    }

    /// Reads the events of a radio, one at a time.
    private actor EventReader {
        private let events: RadioEvents

        init(_ events: RadioEvents) {
            self.events = events
        }

        func next() async -> RadioEvent? {
            for await event in events { return event }
            return nil
        }
    }

    private struct UnexpectedEvent: Error { let event: RadioEvent }

    private static func with(_ body: (Rig) async throws -> Void) async throws {
        try await TestBus.with { bus in
            let rig = try await Rig(bus: bus)
            do {
                try await body(rig)
            } catch {
                await rig.radio.close()
                throw error
            }
            await rig.radio.close()
        }
    }

    // MARK: - Advertisements

    @Test func advertisementIsRegisteredReplacedAndRemoved() async throws {
        try await Self.with { rig in
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            let first = try await rig.started()
            #expect(first.requested == Self.advertisement(1))
            #expect(
                first.effective.advertisingData
                    == .unknown("without CAP_NET_RAW the controller's commands cannot be read"))
            let registered = await rig.daemon.advertisements
            #expect(registered.count == 1)
            #expect(registered.values.first?["Type"] == "peripheral")
            await rig.radio.advertise(Self.advertisement(2), for: Self.beacon)
            #expect(try await rig.started().requested == Self.advertisement(2))
            #expect(await rig.daemon.advertisements.count == 1)
            await rig.radio.advertise(nil, for: Self.beacon)
            await rig.daemon.wait { $0.advertisements.isEmpty }
            #expect(
                await rig.daemon.calls == [
                    "RegisterAdvertisement", "UnregisterAdvertisement", "RegisterAdvertisement",
                    "UnregisterAdvertisement",
                ])
        }
    }

    @Test func closeRemovesAdvertisementsAndEndsEvents() async throws {
        try await Self.with { rig in
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.started()
            await rig.radio.close()
            #expect(await rig.daemon.advertisements.isEmpty)
            #expect(await rig.events.next() == nil)
        }
    }

    @Test func withdrawnAdvertisementIsReportedAgain() async throws {
        try await Self.with { rig in
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.started()
            await rig.radio.advertise(nil, for: Self.beacon)
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            #expect(try await rig.started().requested == Self.advertisement(1))
            #expect(await rig.daemon.count(of: "RegisterAdvertisement") == 2)
        }
    }

    /// A pass that only an advertisement requested reads no adapters. The timer reads them every 2 s.
    @Test func changedAdvertisementDoesNotReadTheAdapter() async throws {
        try await Self.with { rig in
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.started()
            let before = await rig.daemon.readCount
            let start = ContinuousClock.now
            for number in 2...41 {
                await rig.radio.advertise(Self.advertisement(UInt8(number)), for: Self.beacon)
                _ = try await rig.started()
            }
            let reads = await rig.daemon.readCount - before
            let ticks = Int((ContinuousClock.now - start) / .seconds(2)) + 2
            #expect(reads <= ticks)
            #expect(await rig.daemon.count(of: "RegisterAdvertisement") == 41)
        }
    }

    @Test func refusalIsReportedOnceAndRetried() async throws {
        try await Self.with { rig in
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.started()
            await rig.daemon.setRefusing(true)
            await rig.radio.advertise(Self.advertisement(2), for: Self.beacon)
            guard case .refused(Self.beacon, let error) = try await rig.next() else {
                Issue.record("not refused")
                return
            }
            #expect(error.code == .refused && error.message.contains("Maximum advertisements reached"))
            // The first refusal, one after the attachment was verified, and one more from the timer.
            await rig.daemon.wait { $0.count(of: "RegisterAdvertisement") >= 4 }
            await rig.daemon.setRefusing(false)
            #expect(try await rig.started().requested == Self.advertisement(2))
        }
    }

    @Test func releasedAdvertisementIsReportedAndPlacedAgain() async throws {
        try await Self.with { rig in
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.started()
            let path = try #require(await rig.daemon.advertisements.keys.first)
            let client = try await Self.client(of: rig)
            _ = try await rig.daemon.connection.call(
                client, ObjectPath(path), "org.bluez.LEAdvertisement1", "Release")
            let event = try await rig.next()
            let reason = "its advertising instance was removed by the kernel or another program"
            #expect(event == .stopped(Self.beacon, reason: reason))
            _ = try await rig.started()
        }
    }

    /// K9: without the monitor channel it is not known whether the kernel enables the advertisement again.
    @Test func connectableAdvertisementIsRegisteredAgainAfterADisconnection() async throws {
        try await Self.with { rig in
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.started()
            try await rig.daemon.connection.emitPropertiesChanged(
                "/org/bluez/hci0/dev_C0_FF_EE_00_00_01", "org.bluez.Device1", ["Connected": false])
            await rig.daemon.wait { $0.count(of: "RegisterAdvertisement") == 2 }
            // That is no event.
            await rig.radio.advertise(Self.advertisement(2), for: Self.beacon)
            #expect(try await rig.started().requested == Self.advertisement(2))
        }
    }

    /// B6, K2: bluetoothd omits 0x04 from the flags of what is registered while the adapter is discoverable, also afterwards.
    @Test func discoverableAdapterChangesTheFlags() async throws {
        try await Self.with { rig in
            try await rig.daemon.setDiscoverable(true)
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            let changed = try await rig.started()
            #expect(changed.warnings.map(\.code) == ["flags-last", "data-changed"])
            #expect(changed.warnings.last?.message.contains("020102") == true)
            #expect(changed.warnings.last?.hint.contains("hci0 is discoverable") == true)
            try await rig.daemon.setDiscoverable(false)
            await rig.radio.advertise(Self.advertisement(2), for: Self.beacon)
            #expect(try await rig.started().requested == Self.advertisement(2))
        }
    }

    /// The bus name of the radio: the only client besides bluetoothd.
    private static func client(of rig: Rig) async throws -> String {
        let reply = try await rig.daemon.connection.call(
            DBusConnection.busName, "/org/freedesktop/DBus", DBusConnection.busName, "ListNames")
        let own = rig.daemon.connection.uniqueName
        return try #require(reply.first?.stringsValue?.first { $0.hasPrefix(":") && $0 != own })
    }

    @Test func planThatDoesNotFitIsRefused() async throws {
        try await Self.with { rig in
            try await rig.open([Self.hosted(), Self.hosted()])
            await #expect(throws: RadioError.self) {
                try await rig.radio.replan((0..<6).map { _ in Self.hosted() })
            }
            #expect(await rig.daemon.calls.isEmpty)
        }
    }

    // MARK: - Loss and return

    @Test func poweredOffAdapterIsLostAndReturns() async throws {
        try await Self.with { rig in
            try await rig.open()
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.started()
            try await rig.daemon.setPowered(false)
            let lost = RadioError(
                .poweredOff, "hci0 is powered off", hint: "power it on (bluetoothctl power on)")
            #expect(try await rig.next() == .lost(lost))
            #expect(try await rig.next() == .stopped(Self.beacon, reason: lost.message))
            try await rig.daemon.setPowered(true)
            guard case .ready(let capabilities) = try await rig.next() else {
                Issue.record("not ready")
                return
            }
            #expect(capabilities.name == "bluez:hci0")
            _ = try await rig.started()
        }
    }

    @Test func restartedDaemonGetsAllRegistrationsAgain() async throws {
        try await Self.with { rig in
            try await rig.open([Self.hosted(services: [Self.battery])])
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.started()
            await rig.daemon.stop()
            guard case .lost(let error) = try await rig.next(),
                case .stopped(Self.beacon, _) = try await rig.next()
            else {
                Issue.record("not lost")
                return
            }
            #expect(error.code == .noDaemon)
            let second = try await FakeBluetoothd.start(on: rig.bus)
            let event = try await rig.next()
            guard case .ready = event else { throw UnexpectedEvent(event: event) }
            _ = try await rig.started()
            #expect(await second.calls == ["RegisterApplication", "RegisterAdvertisement"])
        }
    }

    // MARK: - Attributes and pairing

    @Test func requestsOfCentralsAreAnswered() async throws {
        try await Self.with { rig in
            try await rig.open([Self.hosted(services: [Self.battery])]) { request in
                #expect(request.characteristic == Self.level && request.central == "C0:FF:EE:00:00:01")
                return .success([42])
            }
            let application = try #require(await rig.daemon.application)
            let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
            let path = try application.path.appending("service0").appending("characteristic0")
            let reply = try await rig.daemon.connection.call(
                application.client, path, "org.bluez.GattCharacteristic1", "ReadValue",
                [.variants(["device": .objectPath(device)])])
            #expect(reply == [.bytes([42])])
            #expect(try await rig.next() == .connected(Self.beacon, central: "C0:FF:EE:00:00:01"))
            _ = try await rig.daemon.connection.call(
                application.client, path, "org.bluez.GattCharacteristic1", "StartNotify")
            let subscribed = RadioEvent.subscribed(
                Self.beacon, central: "C0:FF:EE:00:00:01", Self.level, .notification)
            #expect(try await rig.next() == subscribed)
            let signals = try await rig.daemon.connection.subscribe(
                MatchRule(sender: application.client, path: path, member: "PropertiesChanged"))
            await rig.radio.notify([7], of: Self.level, on: Self.beacon, to: nil)
            for await signal in signals {
                #expect(signal.body[1].dictionaryValue == ["Value": .bytes([7])])
                break
            }
            try await rig.daemon.connection.emitPropertiesChanged(
                device, "org.bluez.Device1", ["Connected": false])
            #expect(try await rig.next() == .disconnected(Self.beacon, central: "C0:FF:EE:00:00:01"))
        }
    }

    @Test func pairingRequestsAreAnswered() async throws {
        try await Self.with { rig in
            let settings = PairingSettings(inputOutput: .displayYesNo)
            try await rig.open([Self.hosted(services: [Self.battery], pairing: settings)])
            #expect(
                await rig.daemon.calls == ["RegisterApplication", "RegisterAgent", "RequestDefaultAgent"])
            let agent = try #require(await rig.daemon.agent)
            let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
            let connection = rig.daemon.connection
            let reply = Task {
                try await connection.call(
                    agent.client, agent.path, "org.bluez.Agent1", "RequestConfirmation",
                    [.objectPath(device), .uint32(123_456)])
            }
            let central = "C0:FF:EE:00:00:01"
            #expect(try await rig.next() == .connected(Self.beacon, central: central))
            #expect(try await rig.next() == .pairing(Self.beacon, central: central, .began))
            #expect(try await rig.next() == .pairing(Self.beacon, central: central, .comparisonWanted(123_456)))
            await rig.radio.answerPairing(.comparison(true), of: central)
            #expect(try await reply.value == [])
            try await rig.daemon.add(
                device, "org.bluez.Device1",
                ["Address": "C0:FF:EE:00:00:01", "AddressType": "random", "Paired": true, "Bonded": true])
            try await connection.emitPropertiesChanged(device, "org.bluez.Device1", ["Paired": true])
            let peer = RemoteAddress(try #require(BluetoothAddress(central)), isRandom: true)
            let paired = PairingEvent.paired(PairedPeer(address: peer, isBonded: true))
            #expect(try await rig.next() == .pairing(Self.beacon, central: central, paired))
            await rig.radio.close()
            #expect(await rig.daemon.calls.suffix(2) == ["UnregisterApplication", "UnregisterAgent"])
        }
    }
}

/// The whole central over a real bus, with a bluetoothd of the test and without the monitor channel.
@Suite(.realTime, .timeLimit(.minutes(10))) struct BlueZCentralBusTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let address = RemoteAddress(BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero, isRandom: true)
    private static let properties: [String: DBusValue] = [
        "Address": "C0:FF:EE:00:00:01", "AddressType": "random", "RSSI": .int16(-60), "Name": "N",
        "Connected": true, "ServicesResolved": true,
    ]

    private static func with(_ body: (FakeBluetoothd, BlueZCentral) async throws -> Void) async throws {
        try await TestBus.with { bus in
            let daemon = try await FakeBluetoothd.start(on: bus)
            let central = BlueZCentral(
                .any,
                openBus: { () async throws(RadioError) in
                    do throws(DBusError) {
                        return try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
                    } catch {
                        throw RadioError(.noDaemon, error.message, hint: "")
                    }
                }, openMonitor: { nil })
            do {
                _ = try await central.openCentral(waits: false)
                try await body(daemon, central)
            } catch {
                await central.close()
                throw error
            }
            await central.close()
        }
    }

    @Test func scanReportsDevicesAndStopsDiscovery() async throws {
        try await Self.with { daemon, central in
            let sightings = try await central.scan(ScanParameters(filtersDuplicates: true))
            try await daemon.add(Self.device, "org.bluez.Device1", Self.properties)
            for await sighting in sightings {
                #expect(sighting == Sighting(device: Self.address, pdu: nil, data: [2, 9, 0x4E], rssi: RSSI(-60)))
                break
            }
            await central.stopScanning()
            #expect(await daemon.calls == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"])
        }
    }

    @Test func connectionReadsAttributesAndEnds() async throws {
        try await Self.with { daemon, central in
            let methods: [String: MethodHandler] = [
                "Connect": { _ in .success([]) }, "Disconnect": { _ in .success([]) },
            ]
            try await daemon.add(Self.device, "org.bluez.Device1", Self.properties, methods: methods)
            let service = try Self.device.appending("service0010")
            try await daemon.add(
                service, "org.bluez.GattService1",
                ["UUID": "0000180f-0000-1000-8000-00805f9b34fb", "Primary": true])
            try await daemon.add(
                try service.appending("char0011"), "org.bluez.GattCharacteristic1",
                ["UUID": "00002a19-0000-1000-8000-00805f9b34fb", "Flags": .strings(["read"])],
                methods: ["ReadValue": { _ in .success([.bytes([99])]) }])
            let link = try await central.connect(to: Self.address, timeout: .seconds(60))
            let services = try await link.discoverServices(nil)
            #expect(services.map(\.uuid) == [.bit16(0x180F)])
            let characteristics = try await link.discoverCharacteristics(of: try #require(services.first))
            let value = try #require(characteristics.first).value
            #expect(try await link.read(value) == [99])
            await #expect(throws: RadioError.self) {
                try await central.connect(to: Self.address, timeout: .seconds(1))
            }
            try await daemon.connection.emitPropertiesChanged(
                Self.device, "org.bluez.Device1", ["Connected": false])
            #expect(await link.waitForEnd() == "the connection was lost")
            #expect(await daemon.calls.prefix(2) == ["RegisterAgent", "UnregisterAgent"])
        }
    }

    /// bluetoothd refuses what is pending on a connection that ends, and reports the end afterwards.
    @Test(arguments: [true, false])
    func readOfAConnectionThatEndsIsDisconnected(ends: Bool) async throws {
        try await Self.with { daemon, central in
            try await daemon.add(
                Self.device, "org.bluez.Device1", Self.properties, methods: ["Connect": { _ in .success([]) }])
            let service = try Self.device.appending("service0010")
            try await daemon.add(
                service, "org.bluez.GattService1",
                ["UUID": "0000180f-0000-1000-8000-00805f9b34fb", "Primary": true])
            let read: MethodHandler = { [connection = daemon.connection] _ in
                if ends {
                    Task {
                        try await connection.emitPropertiesChanged(
                            Self.device, "org.bluez.Device1", ["Connected": false])
                    }
                }
                return .failure(.blueZ("Failed", "Operation failed with ATT error: 0x0e"))
            }
            try await daemon.add(
                try service.appending("char0011"), "org.bluez.GattCharacteristic1",
                ["UUID": "00002a19-0000-1000-8000-00805f9b34fb", "Flags": .strings(["read"])],
                methods: ["ReadValue": read])
            let link = try await central.connect(to: Self.address, timeout: .seconds(60))
            let services = try await link.discoverServices(nil)
            let characteristics = try await link.discoverCharacteristics(of: try #require(services.first))
            let value = try #require(characteristics.first).value
            let expected: RemoteError = ends ? .disconnected("the connection was lost") : .refused(.unlikely)
            await #expect(throws: expected) { try await link.read(value) }
        }
    }

    @Test func endOfTheDaemonEndsTheScan() async throws {
        try await Self.with { daemon, central in
            var states = await central.states().makeAsyncIterator()
            #expect(await states.next() == .ready)
            let sightings = try await central.scan(ScanParameters())
            await daemon.stop()
            for await _ in sightings {}
            guard case .unavailable(let error) = await states.next() else {
                Issue.record("still ready")
                return
            }
            #expect(error.code == .noDaemon)
        }
    }
}
