// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCIRadio
import Radio
import Space
import TestTraits
import Testing
import VirtualRadio

/// Other hosts of the process on the air of a radio.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct AirHostTests {
    private static let address = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero
    private static let value = BluetoothUUID.bit16(0xFFF1)
    private static let services = [
        GATTService(
            uuid: .bit16(0xFFF0), characteristics: [GATTCharacteristic(uuid: value, properties: [.read, .write])])
    ]

    private static func beacon(at position: Position? = nil) -> HostedBeacon {
        HostedBeacon(
            identifier: BeaconIdentifier("a"), services: services,
            advertisement: Advertisement(
                pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
                interval: AdvertisingInterval(32), address: address),
            site: BeaconSite(motion: position.map(Motion.rest)))
    }

    /// A radio with one beacon, whose value is 1, 2, 3.
    private static func open(at position: Position? = nil) async throws -> VirtualAirRadio {
        let radio = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: []))
        let beacon = beacon(at: position)
        _ = try await radio.open([beacon], waits: false) { _ in .success([1, 2, 3]) }
        await radio.advertise(beacon.advertisement, for: beacon.identifier)
        return radio
    }

    private static func firstSighting(on host: HCIRadio) async throws -> Sighting {
        for await sighting in try await host.scan(ScanParameters(isActive: false)) { return sighting }
        throw RadioError(.refused, "the scan has ended", hint: "")
    }

    @Test func hostsReceiveAtTheirPlaces() async throws {
        let radio = try await Self.open(at: Position(x: 0, y: 0))
        for (distance, rssi) in [(1.0, -59 as Int8), (2, -65), (4, -71)] {
            let host = try await radio.addHost(
                AirHost("at \(distance)", motion: .rest(Position(x: distance, y: 0))))
            let sighting = try await Self.firstSighting(on: host)
            #expect(sighting.rssi == RSSI(rssi))
            #expect(sighting.device == RemoteAddress(Self.address, isRandom: true))
        }
        await radio.close()
    }

    @Test func movedHostReceivesAtItsNewPlace() async throws {
        let radio = try await Self.open(at: Position(x: 0, y: 0))
        let host = try await radio.addHost(AirHost("kitchen", motion: .rest(Position(x: 1, y: 0))))
        #expect(await radio.setMotion(.rest(Position(x: 4, y: 0)), ofReceiver: "kitchen"))
        #expect(await radio.position(of: "kitchen") == Position(x: 4, y: 0))
        #expect(try await Self.firstSighting(on: host).rssi == RSSI(-71))
        #expect(await !radio.setMotion(nil, ofReceiver: "hall"))
        await radio.close()
    }

    @Test func severalHostsConnectAtOnce() async throws {
        let radio = try await Self.open()
        let other = HostedBeacon(
            identifier: BeaconIdentifier("b"), services: Self.services,
            advertisement: Advertisement(
                pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
                interval: AdvertisingInterval(32), address: BluetoothAddress("C0:FF:EE:00:00:02")))
        try await radio.replan([Self.beacon(), other])
        await radio.advertise(other.advertisement, for: other.identifier)
        let hosts = [try await radio.addHost(AirHost("one")), try await radio.addHost(AirHost("two"))]
        for (host, beacon) in zip(hosts, ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"]) {
            // The scan continues during a connection.
            _ = try await host.scan(ScanParameters())
            let address = try #require(BluetoothAddress(beacon))
            let link = try await host.connect(to: RemoteAddress(address, isRandom: true), timeout: .seconds(300))
            let service = try #require(try await link.discoverServices([.bit16(0xFFF0)]).first)
            let characteristic = try #require(try await link.discoverCharacteristics(of: service).first)
            #expect(try await link.read(characteristic.value) == [1, 2, 3])
        }
        await radio.close()
    }

    @Test func linkHasTheCodeOfItsEnd() async throws {
        let radio = try await Self.open()
        let host = try await radio.addHost(AirHost("one"))
        let device = RemoteAddress(Self.address, isRandom: true)
        let ended = try await host.connect(to: device, timeout: .seconds(300))
        #expect((ended as? any ReasonedLink)?.endCode == nil)
        await ended.disconnect()
        // Connection terminated by local host (Core 5.4, Vol 1, Part F, 1.3).
        #expect((ended as? any ReasonedLink)?.endCode == 0x16)
        let lost = try await host.connect(to: device, timeout: .seconds(300))
        #expect(await radio.endConnections(of: "a", with: nil, .powerOff)?.count == 1)
        _ = await lost.waitForEnd()
        #expect((lost as? any ReasonedLink)?.endCode == 0x15)
        await radio.close()
    }

    @Test func parametersOutOfRangeAreRefused() async throws {
        let radio = try await Self.open()
        let host = try await radio.addHost(AirHost("one"))
        let link = try await host.connect(to: RemoteAddress(Self.address, isRandom: true), timeout: .seconds(300))
        let updating = try #require(link as? any UpdatingLink)
        try await updating.update(ConnectionParameters())
        await #expect(throws: RemoteError.self) { try await updating.update(ConnectionParameters(latency: 500)) }
        await link.disconnect()
        await #expect(throws: RemoteError.self) { try await updating.update(ConnectionParameters()) }
        await radio.close()
    }

    @Test func hostIsPeripheralAndCentralWithOneAddress() async throws {
        let air = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: []))
        let address = try #require(BluetoothAddress("00:AA:01:00:00:00"))
        let one = try await air.addHost(AirHost("one", address: address))
        let two = try await air.addHost(AirHost("two"))
        _ = try await one.open([], waits: false) { _ in .success([7]) }
        let advertisement = Advertisement(
            pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
            interval: AdvertisingInterval(32), address: address)
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("service"), services: Self.services, advertisement: advertisement)
        try await one.replan([beacon])
        await one.advertise(advertisement, for: beacon.identifier)
        let seen = try await Self.firstSighting(on: two)
        #expect(seen.device == RemoteAddress(address, isRandom: false))
        let link = try await two.connect(to: seen.device, timeout: .seconds(300))
        let service = try #require(try await link.discoverServices([.bit16(0xFFF0)]).first)
        let characteristic = try #require(try await link.discoverCharacteristics(of: service).first)
        #expect(try await link.read(characteristic.value) == [7])
        var events = one.events.makeAsyncIterator()
        var central: String?
        while central == nil, let event = await events.next() {
            if case .connected(_, let name) = event { central = name }
        }
        #expect(central == AirHost("two").derivedAddress.description)
        await air.close()
    }

    @Test func addressFollowsFromTheName() async throws {
        let radio = VirtualAirRadio(VirtualAirOptions(servers: []))
        let host = try await radio.addHost(AirHost("kitchen"))
        let address = try await host.openCentral(waits: false).address
        #expect(address == AirHost("kitchen").derivedAddress)
        #expect(address?.octets.prefix(3) == [0x06, 0xBE, 0xAC])
        #expect(address != AirHost("hall").derivedAddress)
        await #expect(throws: RadioError.self) { try await radio.addHost(AirHost("hall", address: address)) }
        // The address is free again.
        await host.close()
        let next = try await radio.addHost(AirHost("hall", address: address))
        #expect(try await next.openCentral(waits: false).address == address)
        await radio.close()
    }

    @Test func hostsEndWithTheirRadio() async throws {
        let radio = try await Self.open()
        let host = try await radio.addHost(AirHost("one"))
        let sightings = try await host.scan(ScanParameters())
        let link = try await host.connect(to: RemoteAddress(Self.address, isRandom: true), timeout: .seconds(300))
        await radio.close()
        for await _ in sightings {}
        #expect(await !link.waitForEnd().isEmpty)
        await #expect(throws: RadioError.self) { try await host.scan(ScanParameters()) }
        await #expect(throws: RadioError.self) { try await radio.addHost(AirHost("two")) }
    }
}
