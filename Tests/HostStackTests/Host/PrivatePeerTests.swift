// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing

@testable import HostStack

/// Bonded peers with private addresses, as the host finds them.
@Suite struct PrivatePeerTests {
    private static let identity = PeerAddress(.random(1), type: .random)
    private static let key = Octets<16>(padding: 1...16)

    private static func privateAddress(_ seed: UInt64, _ key: Octets<16> = key) -> BluetoothAddress {
        var random = RandomSource(SplitMix64(seed: seed))
        return .resolvablePrivate(key: key, random: &random)
    }

    private static let first = privateAddress(1)
    private static let second = privateAddress(2)
    private static let stranger = privateAddress(1, Octets(padding: 101...116))

    /// A host with a bond with the peer.
    private func bench(_ controller: ScriptedController = .extended) -> Bench {
        var bench = Bench.ready(controller)
        bench.perform { $0.setBonds([Bond(peer: Self.identity, resolvingKey: Self.key)], for: nil) }
        return bench
    }

    private func report(
        _ address: BluetoothAddress, _ type: ExtendedAdvertisingEventType = .legacyConnectable
    ) -> LEExtendedAdvertisingReport {
        LEExtendedAdvertisingReport(reports: [
            .init(
                eventType: type, addressType: .random, address: address, primaryPHY: .oneMegabit, secondaryPHY: .none,
                advertisingSetIdentifier: 0xFF, transmitPower: .unspecified, rssi: .unavailable,
                periodicAdvertisingInterval: Ticks(0), directAddressType: .public, directAddress: .zero, data: [])
        ])
    }

    private func identities(_ bench: Bench) -> [PeerAddress?] {
        bench.events.compactMap { event -> PeerAddress?? in
            if case .scanReport(_, let identity) = event { .some(identity) } else { nil }
        }
    }

    private func connections(_ bench: Bench) -> [BluetoothAddress] {
        bench.commands(LEExtendedCreateConnection.self).map(\.peerAddress)
    }

    private func scans(_ bench: Bench) -> [UInt8] { bench.commands(LESetExtendedScanEnable.self).map(\.enable) }

    /// The addresses with which a peer may be requested, and with which it may advertise then.
    @Test(
        arguments: [identity.address, first, second], [identity.address, first, second])
    func peerIsSearchedForAndConnectedToAtItsPresentAddress(
        _ requested: BluetoothAddress, _ present: BluetoothAddress
    ) throws {
        var bench = bench()
        bench.perform { $0.connect(to: requested, type: .random) }
        let scan = try #require(bench.commands(LESetExtendedScanParameters.self).first)
        #expect(scan.parameters.map(\.scanType) == [.passive])
        #expect(scans(bench) == [1] && connections(bench).isEmpty)

        bench.receive(report(Self.stranger))
        bench.receive(report(present, .legacyScanResponseOfConnectable))
        bench.receive(report(present, .legacyNonConnectable))
        #expect(connections(bench).isEmpty)
        bench.receive(report(present))
        #expect(connections(bench) == [present] && scans(bench) == [1, 0])
        // A search is no scan of the owner.
        #expect(bench.events.isEmpty)

        bench.receive(Bench.connectionComplete(5, role: .central, peer: present))
        #expect(bench.connected.map(\.identity) == [Self.identity])
        #expect(bench.connected.map(\.peerAddress) == [present])
    }

    @Test func peerWithoutPrivateAddressesIsNotSearchedFor() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.setBonds([Bond(peer: Self.identity)], for: nil) }
        bench.perform { $0.connect(to: Self.identity.address, type: .random) }
        #expect(connections(bench) == [Self.identity.address] && scans(bench).isEmpty)
    }

    @Test func reportsHaveTheIdentityOfTheirSender() {
        var bench = bench()
        bench.perform { $0.startScanning() }
        bench.forget()
        for _ in 0..<2 {
            for address in [Self.first, Self.second, Self.stranger, Self.identity.address] {
                bench.receive(report(address))
            }
        }
        let expected = [Self.identity, Self.identity, nil, Self.identity]
        #expect(identities(bench) == expected + expected)

        // A new bond, and the end of one, hold for the addresses that were received before.
        bench.forget()
        let other = PeerAddress(.random(2), type: .random)
        bench.perform { $0.setBonds([Bond(peer: other, resolvingKey: Octets(padding: 101...116))], for: nil) }
        bench.receive(report(Self.stranger))
        bench.receive(report(Self.first))
        bench.perform { $0.removeBond(of: other, for: nil) }
        bench.receive(report(Self.stranger))
        #expect(identities(bench) == [other, nil, nil])
    }

    @Test func searchUsesTheScanOfTheOwnerWithoutItsFilter() throws {
        var bench = bench()
        bench.perform { $0.startScanning(ScanParameters(isActive: true, filtersDuplicates: true)) }
        bench.perform { $0.connect(to: Self.identity.address, type: .random) }
        let filters = bench.commands(LESetExtendedScanEnable.self).filter { $0.enable == 1 }.map(\.filterDuplicates)
        #expect(filters == [1, 0])
        let types = bench.commands(LESetExtendedScanParameters.self).flatMap { $0.parameters.map(\.scanType) }
        #expect(types == [.active, .active])
        bench.forget()
        bench.receive(report(Self.first))
        #expect(bench.reports.map(\.address) == [Self.first])
        #expect(connections(bench) == [Self.first])
        bench.receive(Bench.connectionComplete(5, role: .central, peer: Self.first))
        #expect(bench.commands(LESetExtendedScanEnable.self).map(\.enable) == [0, 1])
        #expect(bench.commands(LESetExtendedScanEnable.self).last?.filterDuplicates == 1)
    }

    @Test func silentPeerTimesOutAndTheSearchEnds() {
        var bench = bench()
        bench.perform { $0.connect(to: Self.identity.address, type: .random, timeout: .seconds(3)) }
        bench.advance(to: .milliseconds(2999))
        #expect(bench.events.isEmpty)
        bench.advance(to: .seconds(3))
        #expect(bench.events == [.connectionFailed(Self.identity, .timedOut)])
        #expect(scans(bench) == [1, 0] && connections(bench).isEmpty && bench.host.nextDeadline == nil)
    }

    @Test(arguments: [identity.address, first])
    func searchIsCancelled(_ cancelled: BluetoothAddress) {
        var bench = bench()
        let peer = PeerAddress(cancelled, type: .random)
        bench.perform { $0.connect(to: cancelled, type: .random) }
        bench.perform { $0.cancelConnecting(to: cancelled, type: .random) }
        #expect(bench.events == [.connectionFailed(peer, .cancelled)])
        #expect(scans(bench) == [1, 0])
    }

    @Test func peerWhoseAddressChangedMeanwhileIsSearchedForAgain() {
        var bench = bench()
        bench.perform { $0.connect(to: Self.identity.address, type: .random, timeout: .seconds(60)) }
        bench.receive(report(Self.first))
        #expect(connections(bench) == [Self.first])
        bench.advance(to: .seconds(12))
        #expect(bench.opcodes.last == LECreateConnectionCancel.opcode)
        bench.cancelled()
        #expect(scans(bench) == [1, 0, 1] && bench.events.isEmpty)
        bench.receive(report(Self.second))
        #expect(connections(bench) == [Self.first, Self.second])
        bench.receive(Bench.connectionComplete(5, role: .central, peer: Self.second))
        #expect(bench.connected.map(\.identity) == [Self.identity])
    }

    @Test func otherPeersAreConnectedToDuringTheSearch() {
        var bench = bench()
        bench.perform { $0.connect(to: Self.identity.address, type: .random) }
        bench.perform { $0.connect(to: .peer, type: .random) }
        #expect(connections(bench) == [.peer])
        bench.receive(Bench.connectionComplete(5, role: .central))
        #expect(bench.connected.map(\.peerAddress) == [.peer])
        bench.receive(report(Self.first))
        #expect(connections(bench) == [.peer, Self.first])
    }

    /// The address that was requested is tried: it is the last one that is known.
    @Test func controllerThatDoesNotScanConnectsToTheRequestedAddress() {
        var controller = ScriptedController.extended
        controller.refusals = [LESetExtendedScanEnable.opcode: .hardwareFailure]
        var bench = bench(controller)
        bench.perform { $0.connect(to: Self.first, type: .random) }
        #expect(connections(bench) == [Self.first])
        #expect(!bench.events.contains { if case .scanFailed = $0 { true } else { false } })
    }

    @Test func searchGoesOnWhenTheControllerRestarts() {
        var bench = bench()
        bench.perform { $0.connect(to: Self.identity.address, type: .random) }
        bench.forget()
        bench.perform { $0.start(at: .seconds(1)) }
        #expect(scans(bench) == [1] && connections(bench).isEmpty)
        bench.receive(report(Self.first))
        #expect(connections(bench) == [Self.first])
    }
}
