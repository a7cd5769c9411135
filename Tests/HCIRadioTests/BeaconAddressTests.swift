// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCIRadio
import Radio
import TestTraits
import Testing
import VirtualRadio

/// The address that a beacon advertises from, and the warning about it: each kind of address, hidden or not, on each kind of
/// radio with our own host.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct BeaconAddressTests {
    private static let ofController = BluetoothAddress("02:BE:AC:00:00:77") ?? .zero

    enum Kind: CaseIterable {
        case none, staticRandom, ofController, ofAnother

        var address: BluetoothAddress? {
            switch self {
            case .none: nil
            case .staticRandom: BluetoothAddress("C0:FF:EE:00:00:01")
            case .ofController: BeaconAddressTests.ofController
            case .ofAnother: BluetoothAddress("00:11:22:33:44:55")
            }
        }
    }

    enum Place: CaseIterable {
        case virtualAir, controller
    }

    /// The first status of a beacon on a radio.
    private static func status(of beacon: HostedBeacon, on place: Place) async throws -> AdvertisingStatus {
        let air = VirtualAirRadio(VirtualAirOptions(servers: [.local(address: ofController)]))
        var radio: any PeripheralRadio = air
        if place == .controller {
            let port = try await air.open([], waits: false) { _ in .success([]) }.servers.first?.split(separator: ":")
                .last
            radio = HCIRadio(
                .tcp(host: "127.0.0.1", port: try #require(port.flatMap { Int($0) })), commandTimeout: .seconds(300))
        }
        _ = try await radio.open([beacon], waits: false) { _ in .success([]) }
        await radio.advertise(beacon.advertisement, for: beacon.identifier)
        var found: AdvertisingStatus?
        for await event in radio.events {
            guard case .advertising(beacon.identifier, let status) = event else { continue }
            found = status
            break
        }
        await radio.close()
        if place == .controller { await air.close() }
        return try #require(found)
    }

    @Test(arguments: Kind.allCases, Place.allCases)
    func warnsOfAnAddressThatTheControllerCannotHave(_ kind: Kind, place: Place) async throws {
        for isHidden in [false, true] {
            let advertisement = Advertisement(
                pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
                interval: AdvertisingInterval(32), address: kind.address)
            var beacon = HostedBeacon(
                identifier: BeaconIdentifier("lock"), services: [], advertisement: advertisement)
            beacon.pairing = PairingSettings(hidesAddress: isHidden)
            let status = try await Self.status(of: beacon, on: place)
            let isSettable = kind != .ofAnother || place == .virtualAir
            let cell: Comment = "\(kind), hidden: \(isHidden), \(place)"
            #expect(status.warnings.map(\.code) == (isSettable ? [] : ["address-not-settable"]), cell)
            #expect(status.differences == (isSettable ? [] : [.address]), cell)
            let address = try #require(status.effective.address.value)
            if isHidden {
                #expect(address.octets[0] & 0xC0 == 0x40, cell)
            } else if isSettable, let requested = kind.address {
                #expect(address == requested, cell)
            } else {
                #expect(address.isStaticRandom, cell)
            }
        }
    }

    /// The identity address is that of the profile, of its type.
    @Test(arguments: [Kind.staticRandom, .ofAnother])
    func centralsKnowAHiddenBeaconByTheAddressOfItsProfile(_ kind: Kind) async throws {
        let address = try #require(kind.address)
        let advertisement = Advertisement(
            pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
            interval: AdvertisingInterval(32), address: address)
        var beacon = HostedBeacon(identifier: BeaconIdentifier("lock"), services: [], advertisement: advertisement)
        beacon.pairing = PairingSettings(hidesAddress: true)
        let air = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: [.local()]))
        let port = try await air.open([beacon], waits: false) { _ in .success([]) }.servers.first?.split(separator: ":")
            .last
        await air.advertise(advertisement, for: beacon.identifier)
        let central = HCIRadio(
            .tcp(host: "127.0.0.1", port: try #require(port.flatMap { Int($0) })), commandTimeout: .seconds(300))
        let phone = BeaconIdentifier("phone")
        let store = PairingTests.Store()
        await central.storeBonds(in: store, as: phone)
        _ = try await central.openCentral(waits: false)
        var seen: RemoteAddress?
        for await sighting in try await central.scan(ScanParameters()) {
            seen = sighting.device
            break
        }
        let link = try await central.connect(to: try #require(seen), timeout: .seconds(300))
        _ = try await (link as? any PairingLink)?.pair(PairingSettings()) { _ in .cancel }
        #expect(
            store.secrets(of: phone).bonds.map(\.peer.address)
                == [RemoteAddress(address, isRandom: kind == .staticRandom)])
        await central.close()
        await air.close()
    }
}
