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

/// The bonds of a central with beacons, and those of the beacons with it.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct CentralBondTests {
    typealias Store = PairingTests.Store

    private static let beacon = BeaconIdentifier("lock")
    private static let phone = BeaconIdentifier("iphone")
    private static let address = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero
    private static let device = RemoteAddress(address, isRandom: true)

    /// Runs a beacon that pairs.
    private static func withBeacon(
        _ settings: PairingSettings = PairingSettings(), store: Store = Store(),
        _ body: (VirtualAirRadio, Int) async throws -> Void
    ) async throws {
        let radio = VirtualAirRadio(
            VirtualAirOptions(timing: .immediate, servers: [.local()]))
        await radio.storeBonds(in: store)
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

    /// A central with this name on its own controller, connected to the beacon and closed at the end.
    private static func withLink(
        _ port: Int, store: Store, as name: BeaconIdentifier = phone,
        _ body: (HCIRadio, any RemoteLink) async throws -> Void
    ) async throws {
        let central = HCIRadio(.tcp(host: "127.0.0.1", port: port), commandTimeout: .seconds(300))
        await central.storeBonds(in: store, as: name)
        do {
            _ = try await central.openCentral(waits: false)
            let link = try await central.connect(to: device, timeout: .seconds(300))
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
    func returningCentralIsRecognised(_ generation: PairingSettings.Requirement) async throws {
        let (beacons, phones) = (Store(), Store())
        var saved: [[StoredBond]] = []
        for _ in 0..<2 {
            // The saved bonds are used by new radios.
            try await Self.withBeacon(PairingSettings(secureConnections: generation), store: beacons) { _, port in
                try await Self.withLink(port, store: phones) { _, link in
                    #expect(await Self.pair(link) == nil)
                }
            }
            saved += [phones.secrets(of: Self.phone).bonds, beacons.secrets(of: Self.beacon).bonds]
        }
        #expect(saved.map(\.count) == [1, 1, 1, 1])
        #expect(saved[0] == saved[2] && saved[1] == saved[3], "there was no second pairing")
        #expect(saved[0].first?.peer.address == Self.device)
        let known = try #require(saved[1].first?.peer.address)
        #expect(known.isRandom && known.address.octets[0] & 0xC0 == 0xC0, "the address is static random")
    }

    /// The first sighting of a beacon, with the scan that received it ended.
    private static func sighting(by central: HCIRadio) async throws -> Sighting {
        let sightings = try await central.scan(ScanParameters(isActive: false))
        let first = await sightings.first { _ in true }
        await central.stopScanning()
        return try #require(first)
    }

    /// A beacon with private addresses, after a restart of the central and of the beacon, which has another address then.
    @Test func bondedDeviceIsRecognisedAfterItsAddressChanged() async throws {
        let (beacons, phones) = (Store(), Store())
        var addresses: [RemoteAddress] = []
        var saved: [[StoredBond]] = []
        for isBonded in [false, true] {
            try await Self.withBeacon(PairingSettings(hidesAddress: true), store: beacons) { _, port in
                let central = HCIRadio(.tcp(host: "127.0.0.1", port: port), commandTimeout: .seconds(300))
                await central.storeBonds(in: phones, as: Self.phone)
                _ = try await central.openCentral(waits: false)
                let sighting = try await Self.sighting(by: central)
                #expect(sighting.identity == (isBonded ? Self.device : nil))
                #expect(sighting.device != Self.device && !addresses.contains(sighting.device))
                addresses.append(sighting.device)
                // With the identity, the present address, and the former one.
                for requested in isBonded ? [Self.device] + addresses : addresses {
                    let link = try await central.connect(to: requested, timeout: .seconds(300))
                    #expect(link.device == sighting.device)
                    #expect(await Self.pair(link) == nil)
                    #expect((link as? any IdentifiedLink)?.identity == Self.device)
                    await link.disconnect()
                }
                await central.close()
            }
            saved.append(phones.secrets(of: Self.phone).bonds)
        }
        #expect(saved[0].count == 1 && saved[0] == saved[1], "there was no second pairing")
    }

    @Test func centralsOfTwoNamesHaveTwoBonds() async throws {
        let (beacons, phones) = (Store(), Store())
        try await Self.withBeacon(store: beacons) { _, port in
            for name in ["alice", "bob"] {
                try await Self.withLink(port, store: phones, as: BeaconIdentifier(name)) { _, link in
                    #expect(await Self.pair(link) == nil)
                }
            }
        }
        #expect(Set(beacons.secrets(of: Self.beacon).bonds.map(\.peer.address)).count == 2)
        #expect(phones.secrets(of: BeaconIdentifier("alice")).bonds.count == 1)
        #expect(phones.secrets(of: BeaconIdentifier("bob")).bonds.count == 1)
    }

    @Test func bondThatCannotBeSavedIsNotUsed() async throws {
        try await Self.withBeacon { _, port in
            try await Self.withLink(port, store: Store(refuses: true)) { _, link in
                try #require(await Self.pair(link) == .notKept)
                #expect(await !link.waitForEnd().isEmpty)
            }
        }
    }

    @Test func forgottenBondOfABeaconStaysForgotten() async throws {
        let (beacons, phones) = (Store(), Store())
        try await Self.withBeacon(store: beacons) { _, port in
            try await Self.withLink(port, store: phones) { central, link in
                #expect(await Self.pair(link) == nil)
                await central.forgetBond(with: Self.device)
            }
            #expect(phones.secrets(of: Self.phone).bonds.isEmpty)
            let old = beacons.secrets(of: Self.beacon).bonds
            try await Self.withLink(port, store: phones) { _, link in #expect(await Self.pair(link) == nil) }
            #expect(beacons.secrets(of: Self.beacon).bonds.map(\.peer.address) == old.map(\.peer.address))
            #expect(beacons.secrets(of: Self.beacon).bonds != old, "the new bond replaces the old one")
        }
    }

    @Test func forgottenBondIsReportedByTheBeacon() async throws {
        let phones = Store()
        try await Self.withBeacon { radio, port in
            try await Self.withLink(port, store: phones) { _, link in #expect(await Self.pair(link) == nil) }
            #expect(await radio.forgetBonds(of: Self.beacon, peer: nil) == 1)
            try await Self.withLink(port, store: phones) { _, link in
                #expect(await Self.pair(link) == .keyMissing)
            }
        }
    }

    @Test func damagedBondIsReportedAndReplaced() async throws {
        let phones = Store()
        let unreadable = StoredBond(peer: PairedPeer(address: Self.device, isBonded: true), fields: ["peer": "nobody"])
        _ = phones.save(StoredSecrets(bonds: [unreadable]), of: Self.phone)
        try await Self.withBeacon { _, port in
            try await Self.withLink(port, store: phones) { _, link in #expect(await Self.pair(link) == nil) }
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
