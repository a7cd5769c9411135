// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// The bond that a peripheral saves before its pairing ends, because its central may already use it.
@Suite struct PromisedBondTests {
    private static let generations: [PairingSettings.Requirement] = [.off, .required]
    private static let hidden = OwnAddress.resolvable(
        LocalIdentity(address: PeerAddress(.random(9), type: .random), resolvingKey: Octets(padding: 1...16)))

    private static func bench(
        _ generation: PairingSettings.Requirement, isBonding: Bool = true, centralAddress: OwnAddress = .publicDevice
    ) throws -> PairingBench {
        try PairingBench(
            central: PairingSettings(secureConnections: generation),
            peripheral: PairingSettings(isBonding: isBonding, secureConnections: generation),
            centralAddress: centralAddress)
    }

    /// Pairs up to the moment when the peripheral's owner must save the bond.
    private static func beginPairing(_ bench: inout PairingBench, renewing: Bool = false) throws {
        bench.clear()
        let link = try bench.link(bench.central)
        bench.bench.perform(bench.central) { $0.pair(link, renewing: renewing) }
        try bench.bench.advance(until: bench.peripheral) { event in
            if case .bondChanged(PairingBench.set, _) = event { () } else { nil }
        }
        #expect(bench.paired(bench.peripheral) == nil && bench.paired(bench.central) == nil, "it is not over")
    }

    private static func bonds(_ bench: PairingBench) -> [Bond] {
        bench.bench.stations[bench.peripheral].host.bonds(of: PairingBench.set)
    }

    @Test(arguments: generations, [true, false])
    func crashDuringPairingLosesNoBond(
        _ generation: PairingSettings.Requirement, isRenewal: Bool
    ) throws {
        var bench = try Self.bench(generation)
        if isRenewal { try bench.pair(by: bench.central) }
        try Self.beginPairing(&bench, renewing: isRenewal)
        let records = Self.bonds(bench).map(\.record)
        #expect(records.count == (isRenewal ? 2 : 1))
        bench.settle()
        let bond = try #require(bench.paired(bench.central)).bond
        // The peripheral has only the bonds that were saved at that moment.
        let kept = try records.map { try Bond(record: $0) }
        bench.bench.perform(bench.peripheral) { $0.setBonds(kept, for: PairingBench.set) }
        #expect(Self.bonds(bench).map(\.peripheralKey) == [bond.centralKey])
        try bench.reconnect()
        try bench.pair(by: bench.central)
        for station in [bench.central, bench.peripheral] {
            #expect(bench.paired(station) == nil && bench.encryptionFailure(station) == nil)
            #expect(bench.security(station)?.isEncrypted == true)
        }
    }

    @Test(arguments: generations) func successfulPairingLeavesOneBond(
        _ generation: PairingSettings.Requirement
    ) throws {
        var bench = try Self.bench(generation)
        try Self.beginPairing(&bench)
        bench.settle()
        let bond = try #require(bench.paired(bench.peripheral)).bond
        #expect(Self.bonds(bench) == [bond])
        #expect(!bench.events(bench.peripheral).contains { if case .bondWithdrawn = $0 { true } else { false } })
    }

    @Test(arguments: generations, [true, false])
    func promisedBondIsWithdrawnOnFailure(
        _ generation: PairingSettings.Requirement, isRenewal: Bool
    ) throws {
        for ends in [true, false] {
            var bench = try Self.bench(generation)
            if isRenewal { try bench.pair(by: bench.central) }
            let before = Self.bonds(bench)
            try Self.beginPairing(&bench, renewing: isRenewal)
            let link = try bench.link(bench.peripheral)
            bench.bench.perform(bench.peripheral) { host in
                if ends { host.disconnect(link) } else { host.cancelPairing(of: link) }
            }
            bench.settle()
            #expect(Self.bonds(bench) == before)
            let events = bench.events(bench.peripheral)
            let withdrawn = try #require(
                events.firstIndex { if case .bondWithdrawn(PairingBench.set, _) = $0 { true } else { false } })
            let failed = try #require(events.firstIndex { if case .pairingFailed = $0 { true } else { false } })
            #expect(withdrawn < failed, "the saved bonds are right before the failure is reported")
        }
    }

    @Test(arguments: generations) func bondIsNotPromisedUnlessBothSidesBond(
        _ generation: PairingSettings.Requirement
    ) throws {
        var bench = try Self.bench(generation, isBonding: false)
        try bench.pair(by: bench.central)
        #expect(!bench.events(bench.peripheral).contains { if case .bondChanged = $0 { true } else { false } })
    }

    /// A key of LE Secure Connections has no name, and a private address cannot be resolved before the peer sends its
    /// key.
    @Test(arguments: generations) func privateCentralIsPromisedOnlyNamedKeys(
        _ generation: PairingSettings.Requirement
    ) throws {
        var bench = try Self.bench(generation, centralAddress: Self.hidden)
        try bench.pair(by: bench.central)
        let isPromised = bench.events(bench.peripheral).contains { if case .bondChanged = $0 { true } else { false } }
        #expect(isPromised == (generation == .off))
        #expect(bench.paired(bench.peripheral)?.isBonded == true)
        #expect(Self.bonds(bench).count == 1)
    }

    @Test func laterOfTwoBondsIsRestored() {
        var host = LEHost()
        let peer = PeerAddress(.random(1), type: .random)
        let bonds = [1, 2].map { Bond(peer: peer, peripheralKey: Bond.Key(Octets(padding: [$0]))) }
        host.setBonds(bonds, for: PairingBench.set)
        #expect(host.bonds(of: PairingBench.set) == [bonds[1]])
    }
}
