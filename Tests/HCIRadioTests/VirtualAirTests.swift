// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import HCIRadio
import Radio
import Space
import Synchronization
import TestTraits
import Testing
import VirtualRadio

/// Beacons on a virtual air, and a central that joins it over TCP: both ends are our own radio.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct VirtualAirTests {
    private static let service = BluetoothUUID.bit16(0xFFF0)
    private static let value = BluetoothUUID.bit16(0xFFF1)
    private static let address = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero

    private static let frame = AdvertisingData([
        .flags(.beacon), .manufacturerSpecific(CompanyIdentifier(0x004C), [0x02, 0x15]),
    ])

    private static func advertisement(_ pdu: AdvertisingPDU, power: Int8? = nil) -> Advertisement {
        Advertisement(
            pdu: pdu, advertisingData: frame, interval: AdvertisingInterval(32),
            transmitPower: power.map(TransmitPower.init), address: address)
    }

    /// A radio with one beacon, and its port.
    private static func open(
        _ beacon: HostedBeacon, capture: (any CaptureSink)? = nil,
        attributes: @escaping AttributeResponder = { _ in .failure(.unlikely) }
    ) async throws -> (VirtualAirRadio, Int) {
        let radio = VirtualAirRadio(
            VirtualAirOptions(timing: .immediate, servers: [.local()]),
            capture: capture)
        let capabilities = try await radio.open([beacon], waits: false, attributes: attributes)
        let port = try #require(capabilities.servers.first?.split(separator: ":").last.flatMap { Int($0) })
        await radio.advertise(beacon.advertisement, for: beacon.identifier)
        return (radio, port)
    }

    private static func central(_ port: Int) async throws -> HCIRadio {
        let central = HCIRadio(.tcp(host: "127.0.0.1", port: port), commandTimeout: .seconds(300))
        _ = try await central.openCentral(waits: false)
        return central
    }

    private static func firstSighting(_ central: some CentralRadio) async throws -> Sighting {
        for await sighting in try await central.scan(ScanParameters()) { return sighting }
        throw RadioError(.refused, "nothing was received", hint: "")
    }

    @Test(arguments: [(-59 as Int8, 0 as Int8), (-70, 0), (-59, -20), (-40, 8)])
    func beaconIsCalibrated(measured: Int8, power: Int8) async throws {
        let site = BeaconSite(measuredPower: MeasuredPower(measured), transmitPower: TransmitPower(power))
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"), services: [],
            advertisement: Self.advertisement(.nonConnectable, power: power), site: site)
        let (radio, port) = try await Self.open(beacon)
        let central = try await Self.central(port)
        let sighting = try await Self.firstSighting(central)
        #expect(sighting.rssi == RSSI(measured))
        #expect(sighting.pdu == .nonConnectable)
        #expect(sighting.data == Self.frame.serialized())
        #expect(sighting.device == RemoteAddress(Self.address, isRandom: true))
        await central.close()
        await radio.close()
    }

    // MARK: - Receivers

    private static func port(of receiver: AirReceiver) throws -> Int {
        try #require(receiver.server.split(separator: ":").last.flatMap { Int($0) })
    }

    @Test func addedReceiverIsServedAtItsPositionUntilItIsRemoved() async throws {
        let site = BeaconSite(
            motion: .rest(Position(x: 0, y: 0)), measuredPower: MeasuredPower(-59),
            transmitPower: TransmitPower(0))
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"), services: [],
            advertisement: Self.advertisement(.nonConnectable, power: 0),
            site: site)
        let (radio, _) = try await Self.open(beacon)
        let added = try await radio.serveReceiver("far", motion: .rest(Position(x: 10, y: 0)))
        #expect(added.hosts == [] && added.position == Position(x: 10, y: 0))
        let port = try Self.port(of: added)
        let central = try await Self.central(port)
        #expect(try await Self.firstSighting(central).rssi == RSSI(-79))
        #expect(await radio.namedReceivers().map(\.hosts) == [["far"]])

        let other = try await radio.serveReceiver("near", motion: nil)
        let removed = try #require(await radio.removeReceiver("far"))
        #expect(removed.server == added.server && removed.hosts == ["far"])
        #expect(await radio.namedReceivers() == [other])
        #expect(await radio.removeReceiver("far") == nil)
        #expect(await radio.position(of: "far") == nil)
        await #expect(throws: RadioError.self) { _ = try await Self.central(port) }
        await central.close()
        await radio.close()
    }

    @Test(arguments: ["a", "phone"])
    func receiverNeedsANameOfItsOwn(_ name: String) async throws {
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"), services: [], advertisement: Self.advertisement(.nonConnectable))
        let (radio, _) = try await Self.open(beacon)
        _ = try await radio.serveReceiver("phone", motion: nil)
        let error = await #expect(throws: RadioError.self) { try await radio.serveReceiver(name, motion: nil) }
        #expect(error?.code == .refused)
        #expect(error?.message == "something on the air is named \"\(name)\" already")
        #expect(await radio.namedReceivers().map(\.name) == ["phone"])
        await radio.close()
    }

    /// A receiver walks whether or not its host has joined.
    @Test func receiverWalksBeforeItsHostJoins() async throws {
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"), services: [], advertisement: Self.advertisement(.nonConnectable))
        let (radio, _) = try await Self.open(beacon)
        _ = try await radio.serveReceiver("phone", motion: .rest(Position(x: 9, y: 0)))
        let places = [Position(x: 9, y: 0), Position(x: 1, y: 0)]
        let motion = try #require(await radio.walk("phone", through: places, over: .zero))
        #expect(motion.isMoving)
        #expect(await radio.namedReceivers().map(\.position) == [places[1]])
        #expect(await radio.walk("nothing", through: places, over: .zero) == nil)
        await radio.close()
    }

    @Test func statusHasTheAcknowledgedValues() async throws {
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"), services: [],
            advertisement: Self.advertisement(.nonConnectable, power: 4))
        let (radio, _) = try await Self.open(beacon)
        for await case .advertising(let identifier, let report) in radio.events {
            #expect(identifier == beacon.identifier)
            #expect(report.differences.isEmpty && report.warnings.isEmpty)
            #expect(report.effective.address == .known(Self.address))
            #expect(report.effective.interval == .known(AdvertisingInterval(32)...AdvertisingInterval(32)))
            #expect(report.effective.transmitPower == .known(TransmitPower(4)))
            break
        }
        await radio.close()
    }

    @Test func centralConnectsReadsAndWrites() async throws {
        let services = [
            GATTService(
                uuid: Self.service,
                characteristics: [GATTCharacteristic(uuid: Self.value, properties: [.read, .write])])
        ]
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"), services: services,
            advertisement: Self.advertisement(.connectableScannable))
        let stored = Mutex<[UInt8]>(Array(0..<200))
        let (radio, port) = try await Self.open(beacon) { request in
            switch request.operation {
            case .read(let offset): .success(Array(stored.withLock { $0 }.dropFirst(offset)))
            case .write(_, let value) where value.isEmpty: .failure(.invalidAttributeValueLength)
            case .write(_, let value):
                stored.withLock { (stored: inout [UInt8]) -> AttributeAnswer in
                    stored = value
                    return .success([])
                }
            }
        }
        let central = try await Self.central(port)
        let link = try await central.connect(to: RemoteAddress(Self.address, isRandom: true), timeout: .seconds(300))
        let service = try #require(try await link.discoverServices(nil).first { $0.uuid == Self.service })
        let characteristic = try #require(try await link.discoverCharacteristics(of: service).first)
        #expect(try await link.read(characteristic.value) == Array(0..<200))
        try await link.write([1, 2, 3], to: characteristic.value)
        #expect(stored.withLock { $0 } == [1, 2, 3])
        await #expect(throws: RemoteError.refused(.invalidAttributeValueLength)) {
            try await link.write([], to: characteristic.value)
        }
        let bytes = try await link.maximumTransmissionUnit()
        #expect(bytes > 200)
        #expect(try await link.readRSSI().decibelMilliwatts < 0)
        #expect(try await link.discoverDescriptors(of: characteristic).isEmpty)
        await link.disconnect()
        #expect(await !link.waitForEnd().isEmpty)
        await #expect(throws: RemoteError.self) { try await link.read(characteristic.value) }
        await central.close()
        await radio.close()
    }

    /// A beacon gets other services while a central is connected: a value of the new table is not given under an old
    /// handle with the permission of the old table, and the central gets a Service Changed indication.
    @Test func connectedCentralsSeeNewServices() async throws {
        func plan(_ uuid: BluetoothUUID, _ permissions: AttributePermissions) -> HostedBeacon {
            let characteristic = GATTCharacteristic(
                uuid: uuid, properties: [.read, .notify], permissions: permissions)
            return HostedBeacon(
                identifier: BeaconIdentifier("a"),
                services: [GATTService(uuid: Self.service, characteristics: [characteristic])],
                advertisement: Self.advertisement(.connectableScannable))
        }
        let secret = BluetoothUUID.bit16(0xFFF2)
        let (radio, port) = try await Self.open(plan(Self.value, .open)) { request in
            .success(request.characteristic.uuid == secret ? Array("SECRET".utf8) : [1])
        }
        let central = try await Self.central(port)
        let link = try await central.connect(to: RemoteAddress(Self.address, isRandom: true), timeout: .seconds(300))
        let services = try await link.discoverServices(nil)
        let generic = try #require(services.first { $0.uuid == .genericAttribute })
        let service = try #require(services.first { $0.uuid == Self.service })
        let changed = try #require(
            try await link.discoverCharacteristics(of: generic).first { $0.uuid == .serviceChanged })
        let value = try #require(try await link.discoverCharacteristics(of: service).first)
        try await link.setNotifying(true, for: changed)
        try await link.setNotifying(true, for: value)
        #expect(try await link.read(value.value) == [1])

        try await radio.replan([plan(secret, AttributePermissions(read: .encryption))])
        for await notification in link.notifications {
            #expect(notification.handle == changed.value)
            #expect(
                notification.value == service.handles.lowerBound.serialized() + service.handles.upperBound.serialized())
            break
        }
        await #expect(throws: RemoteError.refused(.insufficientAuthentication)) { try await link.read(value.value) }
        // The subscription to the former characteristic has ended.
        var subscriptions: [ClientCharacteristicConfiguration] = []
        for await event in radio.events {
            guard case .subscribed(_, _, CharacteristicIdentifier(Self.value), let configuration) = event else {
                continue
            }
            subscriptions.append(configuration)
            if configuration.isEmpty { break }
        }
        #expect(subscriptions == [.notification, []])
        await central.close()
        await radio.close()
    }

    /// Core Specification Supplement, Part A, 1.12: the advertised appearance equals the characteristic's value.
    @Test func nameAndAppearanceAreThoseOfTheAdvertisement() async throws {
        func plan(_ appearance: UInt16, _ name: String) -> HostedBeacon {
            let data = [UInt8(truncatingIfNeeded: appearance), UInt8(appearance >> 8)]
            return HostedBeacon(
                identifier: BeaconIdentifier("a"), services: [],
                advertisement: Advertisement(
                    pdu: .connectableScannable, advertisingData: [.localName(name, isComplete: true)],
                    scanResponse: [.unknown(type: 0x19, data: data)], interval: AdvertisingInterval(32),
                    address: Self.address))
        }
        let (radio, port) = try await Self.open(plan(0x0341, "strap"))
        let central = try await Self.central(port)
        let link = try await central.connect(to: RemoteAddress(Self.address, isRandom: true), timeout: .seconds(300))
        let generic = try #require(try await link.discoverServices(nil).first { $0.uuid == .genericAccess })
        let found = try await link.discoverCharacteristics(of: generic)
        let name = try #require(found.first { $0.uuid == .deviceName }).value
        let appearance = try #require(found.first { $0.uuid == .appearance }).value
        #expect(try await link.read(appearance) == [0x41, 0x03])
        #expect(try await link.read(name) == Array("strap".utf8))
        try await radio.replan([plan(0x0340, "belt")])
        #expect(try await link.read(appearance) == [0x40, 0x03])
        #expect(try await link.read(name) == Array("belt".utf8))
        await central.close()
        await radio.close()
    }

    @Test func receiversHaveServersAndMotions() async throws {
        let place = Position(x: 3, y: 4)
        let radio = VirtualAirRadio(
            VirtualAirOptions(servers: [
                .local(), .local(name: "phone", motion: .rest(place)),
            ]))
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"), services: [], advertisement: Self.advertisement(.nonConnectable),
            site: BeaconSite(motion: .rest(Position(x: 0, y: 0))))
        let capabilities = try await radio.open([beacon], waits: false) { _ in .failure(.unlikely) }
        await radio.advertise(beacon.advertisement, for: beacon.identifier)
        #expect(capabilities.servers.count == 2)
        #expect(capabilities.receivers == ["phone": capabilities.servers[1]])
        let port = try #require(capabilities.servers[1].split(separator: ":").last.flatMap { Int($0) })
        let central = try await Self.central(port)
        #expect(try await Self.firstSighting(central).rssi == RSSI(-73))
        #expect(await radio.position(of: "phone") == place)
        #expect(await radio.setMotion(.rest(Position(x: 0, y: 2)), ofReceiver: "phone"))
        #expect(await radio.position(of: "phone") == Position(x: 0, y: 2))
        #expect(await !radio.setMotion(nil, ofReceiver: "host"))
        #expect(await radio.position(of: "a") == Position(x: 0, y: 0))
        #expect(await radio.position(of: "b") == nil)
        await central.close()
        await radio.close()
    }

    @Test func seedIsReported() async throws {
        func seed(_ given: UInt64?) async throws -> UInt64? {
            let radio = VirtualAirRadio(VirtualAirOptions(seed: given, servers: []))
            let capabilities = try await radio.open([], waits: false) { _ in .failure(.unlikely) }
            await radio.close()
            return capabilities.seed
        }
        #expect(try await seed(7) == 7)
        let (one, other) = (try await seed(nil), try await seed(nil))
        #expect(one != nil && one != other)
    }

    @Test func serverAssignsTheConfiguredAddresses() async throws {
        let first = try #require(BluetoothAddress("00:1B:DC:07:31:42"))
        let radio = VirtualAirRadio(
            VirtualAirOptions(servers: [.local(address: first)]))
        let capabilities = try await radio.open([], waits: false) { _ in .failure(.unlikely) }
        let port = try #require(capabilities.servers.first?.split(separator: ":").last.flatMap { Int($0) })
        var addresses: [String?] = []
        var centrals: [HCIRadio] = []
        for _ in 0..<2 {
            let central = HCIRadio(.tcp(host: "127.0.0.1", port: port), commandTimeout: .seconds(300))
            addresses.append(try await central.openCentral(waits: false).address?.description)
            centrals.append(central)
        }
        #expect(addresses == ["00:1B:DC:07:31:42", "00:1B:DC:07:31:43"])
        for central in centrals { await central.close() }
        await radio.close()
    }

    @Test func packetsAreCaptured() async throws {
        let sink = Sink()
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("a"), services: [], advertisement: Self.advertisement(.nonConnectable))
        let (radio, port) = try await Self.open(beacon, capture: sink)
        let central = try await Self.central(port)
        _ = try await Self.firstSighting(central)
        await central.close()
        await radio.close()
        var reader = BtsnoopReader()
        reader.append(sink.bytes)
        var controllers: Set<UInt16> = []
        var reports = 0
        while let packet = try reader.next() {
            controllers.insert(packet.controllerIndex)
            if case .event(let event) = packet.packet, event.subeventCode == LEExtendedAdvertisingReport.subeventCode {
                reports += 1
            }
        }
        #expect(reader.count == 0 && controllers.count == 2 && reports >= 1)
    }

    @Test func portInUseIsRefused() async throws {
        let (radio, port) = try await Self.open(
            HostedBeacon(identifier: BeaconIdentifier("a"), services: [], advertisement: nil))
        let second = VirtualAirRadio(
            VirtualAirOptions(servers: [.init(.tcp(HostAndPort(host: "127.0.0.1", port: port)))]))
        await #expect {
            _ = try await second.open([], waits: false) { _ in .failure(.unlikely) }
        } throws: {
            ($0 as? RadioError)?.code == .cannotServe
                && ($0 as? RadioError)?.message
                    == "cannot listen on 127.0.0.1:\(port) for other hosts: Address already in use (EADDRINUSE)"
        }
        await radio.close()
    }

    @Test func unreachableControllersAreReported() async {
        for transport in [
            HCITransport.tcp(host: "127.0.0.1", port: 1), .unix(path: "/nowhere"),
            .serial(device: "/dev/null", baud: 115_200), .serial(device: "/dev/nowhere", baud: 115_200),
            .serial(device: "/dev/null", baud: 7),
        ] {
            let radio = HCIRadio(transport)
            await #expect(throws: RadioError.self) {
                _ = try await radio.open([], waits: false) { _ in .failure(.unlikely) }
            }
        }
    }
}

private final class Sink: CaptureSink {
    private let taken = Mutex<[UInt8]>([])
    var bytes: [UInt8] { taken.withLock { $0 } }
    func append(_ bytes: [UInt8]) { taken.withLock { $0 += bytes } }
}
