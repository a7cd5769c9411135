// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import HCIRadio
import Radio
import Testing
import VirtualRadio

/// What a central keeps of the beacons that it has paired with, and what they keep of it.
@Suite(.timeLimit(.minutes(2)))
struct CentralBondTests {
    typealias Keeper = PairingTests.Keeper

    private static let beacon = BeaconIdentifier("lock")
    private static let phone = BeaconIdentifier("iphone")
    private static let address = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero
    private static let device = RemoteAddress(address, isRandom: true)

    /// Runs a beacon that pairs, and tells the port that its air is joined at.
    private static func withBeacon(
        _ settings: PairingSettings = PairingSettings(), keeper: Keeper = Keeper(),
        _ body: (HCIRadio, Int) async throws -> Void
    ) async throws {
        let radio = HCIRadio(
            virtual: VirtualAirOptions(timing: .immediate, servers: [.tcp(host: "127.0.0.1", port: 0)]))
        await radio.storeBonds(in: keeper)
        let advertisement = Advertisement(
            pdu: .connectableScannable, advertisingData: AdvertisingData([.flags(.beacon)]),
            interval: AdvertisingInterval(32), address: address)
        var plan = HostedBeacon(identifier: beacon, services: [], advertisement: advertisement)
        plan.pairing = settings
        let capabilities = try await radio.open([plan], waits: false) { _ in .success([]) }
        let port = try #require(capabilities.servers.first?.split(separator: ":").last.flatMap { Int($0) })
        await radio.advertise(advertisement, for: beacon)
        do {
            try await body(radio, port)
        } catch {
            await radio.close()
            throw error
        }
        await radio.close()
    }

    /// A central of this name on a controller of its own, connected to the beacon and closed at the end.
    private static func withLink(
        _ port: Int, keeper: Keeper, as name: BeaconIdentifier = phone,
        _ body: (HCIRadio, any RemoteLink) async throws -> Void
    ) async throws {
        let central = HCIRadio(.tcp(host: "127.0.0.1", port: port))
        await central.storeBonds(in: keeper, as: name)
        do {
            _ = try await central.openCentral(waits: false)
            let link = try await central.connect(to: device, timeout: .seconds(30))
            try await body(central, link)
            await link.disconnect()
        } catch {
            await central.close()
            throw error
        }
        await central.close()
    }

    private static func pair(_ link: any RemoteLink) async -> PairingError.Code? {
        do throws(PairingError) {
            _ = try await (link as? any PairingLink)?.pair(PairingSettings()) { _ in .cancel }
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [PairingSettings.Requirement.required, .off])
    func aCentralThatComesBackIsKnown(_ generation: PairingSettings.Requirement) async throws {
        let (beacons, phones) = (Keeper(), Keeper())
        var kept: [[StoredBond]] = []
        for _ in 0..<2 {
            // Everything is new, but what is kept.
            try await Self.withBeacon(PairingSettings(secureConnections: generation), keeper: beacons) { _, port in
                try await Self.withLink(port, keeper: phones) { _, link in
                    #expect(await Self.pair(link) == nil)
                }
            }
            kept += [phones.secrets(of: Self.phone).bonds, beacons.secrets(of: Self.beacon).bonds]
        }
        #expect(kept.map(\.count) == [1, 1, 1, 1])
        #expect(kept[0] == kept[2] && kept[1] == kept[3], "nothing was paired anew")
        #expect(kept[0].first?.peer.address == Self.device)
        let known = try #require(kept[1].first?.peer.address)
        #expect(known.isRandom && known.address.octets[0] & 0xC0 == 0xC0, "it is a static random address")
    }

    @Test func centralsOfTwoNamesAreTwo() async throws {
        let (beacons, phones) = (Keeper(), Keeper())
        try await Self.withBeacon(keeper: beacons) { _, port in
            for name in ["alice", "bob"] {
                try await Self.withLink(port, keeper: phones, as: BeaconIdentifier(name)) { _, link in
                    #expect(await Self.pair(link) == nil)
                }
            }
        }
        #expect(Set(beacons.secrets(of: Self.beacon).bonds.map(\.peer.address)).count == 2)
        #expect(phones.secrets(of: BeaconIdentifier("alice")).bonds.count == 1)
        #expect(phones.secrets(of: BeaconIdentifier("bob")).bonds.count == 1)
    }

    @Test func aBondThatCannotBeKeptIsNotReliedOn() async throws {
        try await Self.withBeacon { _, port in
            try await Self.withLink(port, keeper: Keeper(refuses: true)) { _, link in
                #expect(await Self.pair(link) == .notKept)
                #expect(await !link.waitForEnd().isEmpty)
            }
        }
    }

    @Test func aForgottenBeaconIsForgottenForGood() async throws {
        let (beacons, phones) = (Keeper(), Keeper())
        try await Self.withBeacon(keeper: beacons) { _, port in
            try await Self.withLink(port, keeper: phones) { central, link in
                #expect(await Self.pair(link) == nil)
                await central.forgetBond(with: Self.device)
            }
            #expect(phones.secrets(of: Self.phone).bonds.isEmpty)
            let old = beacons.secrets(of: Self.beacon).bonds
            try await Self.withLink(port, keeper: phones) { _, link in #expect(await Self.pair(link) == nil) }
            #expect(beacons.secrets(of: Self.beacon).bonds.map(\.peer.address) == old.map(\.peer.address))
            #expect(beacons.secrets(of: Self.beacon).bonds != old, "the new bond stands in the old one's place")
        }
    }

    @Test func aBeaconThatHasForgottenSaysSo() async throws {
        let phones = Keeper()
        try await Self.withBeacon { radio, port in
            try await Self.withLink(port, keeper: phones) { _, link in #expect(await Self.pair(link) == nil) }
            #expect(await radio.forgetBonds(of: Self.beacon, peer: nil) == 1)
            try await Self.withLink(port, keeper: phones) { _, link in
                #expect(await Self.pair(link) == .keyMissing)
            }
        }
    }

    @Test func aBondThatCannotBeReadIsToldAndPairedAnew() async throws {
        let phones = Keeper()
        let unreadable = StoredBond(peer: PairedPeer(address: Self.device, isBonded: true), fields: ["peer": "nobody"])
        _ = phones.keep(StoredSecrets(bonds: [unreadable]), of: Self.phone)
        try await Self.withBeacon { _, port in
            try await Self.withLink(port, keeper: phones) { _, link in #expect(await Self.pair(link) == nil) }
        }
        let warning = try #require(phones.warnings.first)
        #expect(phones.warnings.count == 1 && warning.code == "bonds-damaged")
        #expect(
            warning.message
                == "the bond of iphone with C0:FF:EE:00:00:01 (random) could not be used (\"peer\" is missing "
                + "or out of range): iphone does not know that peer")
        #expect(phones.secrets(of: Self.phone).bonds.count == 1)
    }
}
