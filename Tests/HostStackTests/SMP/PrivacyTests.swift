// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// Private addresses over the virtual air.
@Suite struct PrivacyTests {
    private static let identity = LocalIdentity(
        address: PeerAddress(.random(1), type: .random), resolvingKey: Octets(padding: 1...16))
    private static let centralIdentity = LocalIdentity(
        address: PeerAddress(.random(2), type: .random), resolvingKey: Octets(padding: 101...116))

    private func bench(_ generation: PairingSettings.Requirement = .preferred) throws -> PairingBench {
        let policy = PairingSettings(secureConnections: generation)
        return try PairingBench(
            central: policy, peripheral: policy, address: .resolvable(Self.identity),
            centralAddress: .resolvable(Self.centralIdentity))
    }

    @Test func privateAddressChangesEveryQuarterOfAnHour() throws {
        var bench = AirBench()
        let beacon = bench.add(1)
        let ear = bench.add(2)
        bench.perform(ear) { $0.startScanning(ScanParameters(isActive: false)) }
        bench.perform(beacon) {
            $0.setAdvertising(
                .beacon(milliseconds: 1000), for: .number(0), address: .resolvable(Self.identity))
        }
        bench.advance(by: .seconds(60 * 60 - 10))
        var received: [(address: BluetoothAddress, first: Duration)] = []
        for (time, event) in bench.stations[ear].events {
            guard case .scanReport(let report, _) = event, received.last?.address != report.address else { continue }
            #expect(report.addressType == .random && report.address.isResolved(by: Self.identity.resolvingKey))
            received.append((report.address, time))
        }
        #expect(received.count == 4 && Set(received.map(\.address)).count == 4)
        for (index, address) in received.enumerated() {
            let late = address.first - .seconds(900) * index
            #expect(late >= .zero && late < .seconds(3))
        }
        let reported = bench.stations[beacon].events.compactMap { _, event in
            if case .advertising(_, let effective) = event { effective.address } else { nil }
        }
        #expect(reported == received.map(\.address))
    }

    @Test func dataChangeDoesNotChangeTheAddress() throws {
        var bench = AirBench()
        let beacon = bench.add(1)
        for name in ["one", "two"] {
            bench.perform(beacon) {
                $0.setAdvertising(
                    .beacon(milliseconds: 100, name: name), for: .number(0), address: .resolvable(Self.identity))
            }
        }
        let reported = bench.stations[beacon].events.compactMap { _, event in
            if case .advertising(_, let effective) = event { effective.address } else { nil }
        }
        #expect(reported.count == 2 && reported[0] == reported[1])
    }

    @Test(arguments: [PairingSettings.Requirement.off, .required])
    func peersWithPrivateAddressesAreRecognized(_ generation: PairingSettings.Requirement) throws {
        var bench = try bench(generation)
        let first = try #require(bench.peripheralAddress ?? bench.lastPeer)
        try bench.pair(by: bench.central)
        let central = try #require(bench.paired(bench.central)).bond
        let peripheral = try #require(bench.paired(bench.peripheral)).bond
        #expect(central.peer == Self.identity.address && central.resolvingKey == Self.identity.resolvingKey)
        #expect(peripheral.peer == Self.centralIdentity.address)
        #expect(peripheral.resolvingKey == Self.centralIdentity.resolvingKey)

        try bench.disconnect()
        bench.bench.advance(by: .seconds(1000))
        try bench.connect()
        let links = bench.links
        let seen = try #require(links[bench.central])
        #expect(seen.identity == Self.identity.address && seen.security.hasKey)
        #expect(seen.peerAddress != first.address)
        let met = try #require(links[bench.peripheral])
        #expect(met.identity == Self.centralIdentity.address)
        #expect(met.peerAddress.isResolved(by: Self.centralIdentity.resolvingKey))
        let host = bench.bench.stations[bench.central].host
        #expect(host.identity(of: PeerAddress(seen.peerAddress, type: .random)) == Self.identity.address)
        #expect(host.identity(of: PeerAddress(.random(9), type: .random)) == nil)
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central) == nil && bench.security(bench.central)?.isEncrypted == true)
    }

    /// Both sides must use the same two addresses; otherwise their check values differ.
    @Test(
        arguments: [OwnAddress.publicDevice, .random(.random(1)), .resolvable(identity)],
        [OwnAddress.publicDevice, .random(.random(2)), .resolvable(centralIdentity)])
    func devicesPairWithAddressesOfEveryType(_ peripheral: OwnAddress, _ central: OwnAddress) throws {
        for isLegacy in [false, true] {
            for generation in [PairingSettings.Requirement.off, .required] {
                let policy = PairingSettings(secureConnections: generation)
                var bench = try PairingBench(
                    central: policy, peripheral: policy, address: peripheral, centralAddress: central,
                    isLegacy: isLegacy)
                try bench.pair(by: bench.central, within: .seconds(2))
                #expect(bench.paired(bench.central) != nil && bench.paired(bench.peripheral) != nil)
            }
        }
    }

    @Test func centralChangesItsAddressWhileScanning() throws {
        var bench = AirBench()
        let central = bench.add(
            1, configuration: LEHostConfiguration(centralAddress: .resolvable(Self.centralIdentity)))
        let beacon = bench.add(2)
        bench.perform(beacon) {
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 400), for: .number(0), address: .random(.random(1)))
        }
        var addresses: [BluetoothAddress] = []
        for _ in 0..<3 {
            bench.perform(central) { $0.startScanning() }
            bench.advance(by: .seconds(1000))
            bench.stations[central].events = []
            bench.advance(by: .seconds(1))
            // The scan still receives advertisements.
            #expect(!bench.reports(central, of: .random(1)).isEmpty)
            bench.stations[beacon].events = []
            bench.perform(central) { $0.connect(to: .random(1), type: .random) }
            let link = try bench.advance(until: beacon) { if case .connected(let link) = $0 { link } else { nil } }
            addresses.append(link.peerAddress)
            bench.perform(beacon) { $0.disconnect(link.id) }
            bench.advance(by: .seconds(1))
        }
        #expect(Set(addresses).count == 3)
        #expect(addresses.allSatisfy { $0.isResolved(by: Self.centralIdentity.resolvingKey) })
    }

    @Test func legacyControllerSendsPrivateAddresses() throws {
        var bench = AirBench()
        let beacons = bench.add(1, isLegacy: true)
        let ear = bench.add(2)
        bench.perform(ear) { $0.startScanning(ScanParameters(isActive: false)) }
        bench.perform(beacons) {
            for number in UInt8(0)..<2 {
                $0.setAdvertising(
                    .beacon(milliseconds: 1000, name: "beacon \(number)"), for: .number(number),
                    address: .resolvable(Self.identity))
            }
        }
        bench.advance(by: .seconds(910))
        let received = Set(
            bench.stations[ear].events.compactMap { _, event in
                if case .scanReport(let report, _) = event { report.address } else { nil }
            })
        #expect(received.count == 4 && received.allSatisfy { $0.isResolved(by: Self.identity.resolvingKey) })
    }

    /// After the peer changed its address, which is requested by its identity or by the address of the pairing.
    @Test(arguments: [PairingSettings.Requirement.off, .required], [true, false])
    func bondedPeerIsReachedAfterItsAddressChanged(
        _ generation: PairingSettings.Requirement, requestsIdentity: Bool
    ) throws {
        var bench = try bench(generation)
        let first = try #require(bench.lastPeer)
        try bench.pair(by: bench.central)
        try bench.disconnect()
        bench.bench.advance(by: .seconds(1000))
        bench.clear()
        let requested = requestsIdentity ? Self.identity.address : first
        bench.bench.perform(bench.central) { $0.connect(to: requested.address, type: requested.type) }
        let link = try bench.bench.advance(until: bench.central) {
            if case .connected(let link) = $0 { link } else { nil }
        }
        #expect(link.identity == Self.identity.address && link.peerAddress != first.address)
        bench.bench.perform(bench.central) { $0.pair(link.id) }
        bench.settle()
        #expect(bench.security(bench.central)?.isEncrypted == true && bench.paired(bench.central) == nil)
    }

    /// A device with one identity has its bonds in both roles.
    @Test(arguments: [PairingSettings.Requirement.off, .required], [true, false])
    func bondIsValidInBothRolesOfOneIdentity(
        _ generation: PairingSettings.Requirement, hasOneIdentity: Bool
    ) throws {
        let policy = PairingSettings(secureConnections: generation)
        var configuration = LEHostConfiguration()
        configuration.hasOneIdentity = hasOneIdentity
        var bench = try PairingBench(
            central: policy, peripheral: policy, address: .publicDevice, configuration: configuration)
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central)?.isBonded == true)
        try bench.disconnect()
        bench.clear()
        let (former, present) = (bench.central, bench.peripheral)
        bench.bench.perform(present) {
            $0.stopAdvertising(PairingBench.set)
            $0.setPairing(nil, for: PairingBench.set)
            $0.setBonds([], for: PairingBench.set)
            $0.setPairing(policy, for: nil)
        }
        bench.bench.perform(former) {
            $0.setPairing(policy, for: PairingBench.set)
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 100), for: PairingBench.set, address: .publicDevice)
        }
        let peer = try #require(bench.bench.stations[former].host.capabilities?.address)
        bench.bench.perform(present) { $0.connect(to: peer, type: .public) }
        let link = try bench.bench.advance(until: present) { if case .connected(let link) = $0 { link } else { nil } }
        #expect((link.identity != nil) == hasOneIdentity)
        bench.bench.perform(present) { $0.pair(link.id) }
        bench.settle()
        #expect(bench.security(present)?.isEncrypted == true)
        #expect((bench.paired(present) == nil) == hasOneIdentity)
    }
}
