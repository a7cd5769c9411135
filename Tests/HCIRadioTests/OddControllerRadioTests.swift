// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import TestTraits
import Testing
import VirtualRadio

@testable import HCIRadio

/// Radios on controllers with a character, which a virtual air serves.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct OddControllerRadioTests {
    private static let addresses = ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"].compactMap { BluetoothAddress($0) }

    private static func beacon(
        _ name: String, _ pdu: AdvertisingPDU, _ address: BluetoothAddress, ticks: UInt32 = 160
    ) -> HostedBeacon {
        HostedBeacon(
            identifier: BeaconIdentifier(name), services: [],
            advertisement: Advertisement(
                pdu: pdu, advertisingData: AdvertisingData([.flags(.beacon)]), interval: AdvertisingInterval(ticks),
                address: address))
    }

    /// An air that serves controllers of a character, and the transport to them.
    private static func open(
        _ character: String, _ beacons: [HostedBeacon] = []
    ) async throws -> (air: VirtualAirRadio, transport: HCITransport) {
        var server = VirtualAirOptions.Server.local()
        try server.setCharacter(character)
        let air = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: [server]))
        let capabilities = try await air.open(beacons, waits: false) { _ in .success([]) }
        for beacon in beacons { await air.advertise(beacon.advertisement, for: beacon.identifier) }
        let port = try #require(capabilities.servers.first?.split(separator: ":").last.flatMap { Int($0) })
        return (air, .tcp(host: "127.0.0.1", port: port))
    }

    /// The value of the first event that has one.
    @discardableResult
    private static func first<Value>(
        of events: inout RadioEvents.Iterator, _ value: (RadioEvent) -> Value?
    ) async throws -> Value {
        while let event = await events.next(isolation: #isolation) {
            if let found = value(event) { return found }
        }
        throw RadioError(.refused, "the events have ended", hint: "")
    }

    @Test func beaconThatStopsForAConnectionIsReportedAndReturns() async throws {
        let (air, transport) = try await Self.open("states")
        let radio = HCIRadio(transport, commandTimeout: .seconds(300))
        let config = Self.beacon("config", .connectableScannable, Self.addresses[0])
        let plain = Self.beacon("plain", .nonConnectable, Self.addresses[1])
        _ = try await radio.open([config, plain], waits: false) { _ in .success([]) }
        var events = radio.events.makeAsyncIterator()
        for beacon in [config, plain] {
            await radio.advertise(beacon.advertisement, for: beacon.identifier)
            try await Self.first(of: &events) { event in
                if case .advertising(beacon.identifier, _) = event { true } else { nil }
            }
        }
        let phone = try await air.addHost(AirHost("phone"))
        let link = try await phone.connect(
            to: RemoteAddress(Self.addresses[0], isRandom: true), timeout: .seconds(60))
        let changed = Self.beacon("plain", .nonConnectable, Self.addresses[1], ticks: 320)
        await radio.advertise(changed.advertisement, for: plain.identifier)
        let stop = try await Self.first(of: &events) { event in
            if case .stopped(plain.identifier, let reason) = event { reason } else { nil }
        }
        #expect(stop == "the controller does not advertise while it has a connection")
        guard case .warning(plain.identifier, let warning)? = await events.next() else {
            Issue.record("no warning")
            return
        }
        #expect(warning.code == "connection-in-the-way")
        #expect(warning.message.contains("LE Set Extended Advertising Enable while it has a connection: command dis"))
        await link.disconnect()
        let interval = try await Self.first(of: &events) { event in
            if case .advertising(plain.identifier, let status) = event { status.effective.interval } else { nil }
        }
        #expect(interval == .known(AdvertisingInterval(320)...AdvertisingInterval(320)))
        await radio.close()
        await air.close()
    }

    @Test func scanThatRestsBesideAConnectionIsReportedAndContinues() async throws {
        let (air, transport) = try await Self.open(
            "scan-busy",
            [
                Self.beacon("config", .connectableScannable, Self.addresses[0]),
                Self.beacon("plain", .nonConnectable, Self.addresses[1]),
            ])
        let radio = HCIRadio(transport, commandTimeout: .seconds(300))
        _ = try await radio.openCentral(waits: false)
        let link = try await radio.connect(
            to: RemoteAddress(Self.addresses[0], isRandom: true), timeout: .seconds(60))
        var sightings = try await radio.scan(ScanParameters(isActive: false)).makeAsyncIterator()
        var events = radio.events.makeAsyncIterator()
        guard case .warning(nil, let warning)? = await events.next() else {
            Issue.record("no warning")
            return
        }
        #expect(warning.code == "connection-in-the-way" && warning.message.contains("does not scan while it has"))
        await link.disconnect()
        #expect(await sightings.next() != nil)
        await radio.close()
        await air.close()
    }

    @Test func controllerWithoutAnAddressHasAStaticRandomOne() async throws {
        let (air, transport) = try await Self.open(
            "no-address", [Self.beacon("config", .connectableScannable, Self.addresses[0])])
        let radio = HCIRadio(transport, commandTimeout: .seconds(300))
        let address = try #require(try await radio.openCentral(waits: false).address)
        #expect(address == .derived(from: "central/\(transport)"))
        let link = try await radio.connect(
            to: RemoteAddress(Self.addresses[0], isRandom: true), timeout: .seconds(60))
        var events = air.events.makeAsyncIterator()
        let central = try await Self.first(of: &events) { event in
            if case .connected(_, let central) = event { central } else { nil }
        }
        #expect(central.contains("\(address)"))
        await link.disconnect()
        await radio.close()
        await air.close()
    }
}
