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
            guard case .scanReport(let report) = event, received.last?.address != report.address else { continue }
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
                .beacon(.connectableScannable, milliseconds: 100), for: .number(0), address: .random(.random(1)))
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
                    .beacon(milliseconds: 200, name: "beacon \(number)"), for: .number(number),
                    address: .resolvable(Self.identity))
            }
        }
        bench.advance(by: .seconds(910))
        let received = Set(
            bench.stations[ear].events.compactMap { _, event in
                if case .scanReport(let report) = event { report.address } else { nil }
            })
        #expect(received.count == 4 && received.allSatisfy { $0.isResolved(by: Self.identity.resolvingKey) })
    }
}
