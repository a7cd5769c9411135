// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// The bonds of two hosts, over the virtual air.
@Suite struct BondTests {
    private static let generations: [PairingSettings.Requirement] = [.off, .required]

    private func bench(
        _ secureConnections: PairingSettings.Requirement = .preferred, isBonding: Bool = true,
        isAuthenticated: Bool = false
    ) throws -> PairingBench {
        try PairingBench(
            central: PairingSettings(
                inputOutput: isAuthenticated ? .keyboard : .none, requiresAuthentication: isAuthenticated,
                secureConnections: secureConnections),
            peripheral: PairingSettings(
                inputOutput: isAuthenticated ? .display : .none, isBonding: isBonding,
                requiresAuthentication: isAuthenticated, secureConnections: secureConnections))
    }

    @Test(arguments: generations, [true, false])
    func bondEncryptsTheNextConnection(_ generation: PairingSettings.Requirement, byCentral: Bool) throws {
        var bench = try bench(generation)
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central)?.isBonded == true)
        try bench.reconnect()
        try bench.pair(by: byCentral ? bench.central : bench.peripheral)
        for station in [bench.central, bench.peripheral] {
            #expect(bench.paired(station) == nil && bench.failure(station) == nil)
            #expect(bench.security(station)?.isEncrypted == true)
        }
        // The link is encrypted already, so a second request changes nothing.
        try bench.pair(by: byCentral ? bench.central : bench.peripheral)
        #expect(bench.security(byCentral ? bench.central : bench.peripheral)?.isEncrypted == true)
        #expect(bench.events(byCentral ? bench.peripheral : bench.central).isEmpty)
    }

    /// A Security Request on an encrypted link is answered, by encrypting it again with the keys of the bond.
    @Test func requestOnAnEncryptedLinkIsAnswered() throws {
        var bench = try bench()
        try bench.pair(by: bench.central)
        // A frame of 2 bytes on channel 6: Security Request, with bonding.
        let request = ACLDataPacket(
            handle: ConnectionHandle(1), boundary: .firstFlushable, payload: [2, 0, 6, 0, 0x0B, 0x01])
        bench.bench.stations[bench.central].host.receive(.acl(request), at: bench.bench.time)
        let outputs = bench.bench.stations[bench.central].host.takeOutputs()
        let commands = outputs.compactMap { output in
            if case .send(.command(let command)) = output { command.opcode } else { nil }
        }
        #expect(commands == [LEEnableEncryption.opcode])
        #expect(outputs.count == 1, "no event: nothing has changed")
    }

    /// Settings of one pairing are those of no other.
    @Test func settingsAreThoseOfOnePairing() throws {
        var bench = try PairingBench(
            central: PairingSettings(), peripheral: PairingSettings(inputOutput: .display),
            centralAcceptance: .ask)
        bench.clear()
        let link = try bench.link(bench.central)
        bench.bench.perform(bench.central) { $0.pair(link, PairingSettings(inputOutput: .keyboard)) }
        bench.settle()
        #expect(bench.security(bench.central)?.isAuthenticated == true)
        bench.clear()
        bench.bench.perform(bench.central) { $0.pair(link, renewing: true) }
        bench.settle()
        // The settings of the host have no input, so the pairing would be weaker than the bond.
        #expect(bench.failure(bench.central)?.code == .authenticationRequirements)
    }

    @Test(arguments: generations) func encryptedLinkCanBePairedAgain(_ generation: PairingSettings.Requirement)
        throws
    {
        var bench = try bench(generation)
        try bench.pair(by: bench.central)
        let first = try #require(bench.paired(bench.central)).bond
        try bench.pair(by: bench.central, renewing: true)
        let second = try #require(bench.paired(bench.central)).bond
        #expect(first.centralKey != second.centralKey)
        let link = bench.bench.stations[bench.central].host
        #expect(link.bonds(of: nil) == [second])
        #expect(bench.bench.stations[bench.peripheral].host.bonds(of: PairingBench.set).count == 1)
    }

    @Test(arguments: generations) func bondIsNotSavedUnlessBothSidesBond(
        _ generation: PairingSettings.Requirement
    )
        throws
    {
        var bench = try bench(generation, isBonding: false)
        try bench.pair(by: bench.central)
        for station in [bench.central, bench.peripheral] {
            #expect(bench.paired(station)?.isBonded == false)
            #expect(bench.security(station)?.isEncrypted == true)
        }
        #expect(bench.bench.stations[bench.central].host.bonds(of: nil).isEmpty)
        try bench.reconnect()
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central) != nil)
    }

    @Test(arguments: generations) func bondsAreRestoredByANewHost(_ generation: PairingSettings.Requirement) throws {
        var bench = try bench(generation)
        try bench.pair(by: bench.central)
        for station in [bench.central, bench.peripheral] {
            let set = station == bench.central ? nil : PairingBench.set
            let records = bench.bench.stations[station].host.bonds(of: set).map(\.record)
            bench.bench.perform(station) { $0.setBonds([], for: set) }
            let bonds = try records.map { record throws(BondRecordFault) in try Bond(record: record) }
            bench.bench.perform(station) { $0.setBonds(bonds, for: set) }
        }
        try bench.reconnect()
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central) == nil && bench.security(bench.central)?.isEncrypted == true)
    }

    @Test(arguments: generations) func peripheralReportsAMissingKey(_ generation: PairingSettings.Requirement)
        throws
    {
        var bench = try bench(generation)
        try bench.pair(by: bench.central)
        let bond = try #require(bench.paired(bench.central)).bond
        bench.bench.perform(bench.peripheral) { $0.setBonds([], for: PairingBench.set) }
        try bench.reconnect()
        try bench.pair(by: bench.central)
        #expect(bench.encryptionFailure(bench.central) == .bondRejected(bond))
        #expect(bench.encryptionFailure(bench.peripheral) == .keyMissing)
        #expect(bench.security(bench.central) == nil)
        // Only the owner removes the bond.
        #expect(bench.bench.stations[bench.central].host.bonds(of: nil) == [bond])
        bench.bench.perform(bench.central) { $0.removeBond(of: bond.peer, for: nil) }
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central) != nil && bench.paired(bench.peripheral) != nil)
    }

    @Test func centralWithoutTheKeyPairsAgain() throws {
        var bench = try bench()
        try bench.pair(by: bench.central)
        bench.bench.perform(bench.central) { $0.setBonds([], for: nil) }
        try bench.reconnect()
        try bench.pair(by: bench.peripheral)
        #expect(bench.paired(bench.central) != nil && bench.paired(bench.peripheral) != nil)
        #expect(bench.bench.stations[bench.peripheral].host.bonds(of: PairingBench.set).count == 1)
    }

    @Test func authenticatedBondIsNotReplacedByAnUnauthenticatedOne() throws {
        var bench = try bench(isAuthenticated: true)
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.peripheral)?.bond.isAuthenticated == true)
        bench.bench.perform(bench.central) {
            $0.setBonds([], for: nil)
            $0.setPairing(PairingSettings(), for: nil)
        }
        bench.bench.perform(bench.peripheral) { $0.setPairing(PairingSettings(), for: PairingBench.set) }
        try bench.reconnect()
        try bench.pair(by: bench.central)
        #expect(bench.failure(bench.central) == .rejected(.authenticationRequirements))
        #expect(bench.bench.stations[bench.peripheral].host.bonds(of: PairingBench.set).first?.isAuthenticated == true)
    }

    @Test func wrongKeyEndsTheLink() throws {
        var bench = try bench(.required)
        try bench.pair(by: bench.central)
        var bond = try #require(bench.paired(bench.peripheral)).bond
        bond.peripheralKey = Bond.Key(Octets(padding: 1...16))
        bench.bench.perform(bench.peripheral) { $0.setBonds([bond], for: PairingBench.set) }
        try bench.reconnect()
        try bench.pair(by: bench.central)
        for station in [bench.central, bench.peripheral] {
            let reasons = bench.events(station).compactMap { event in
                if case .disconnected(_, let reason) = event { reason } else { nil }
            }
            #expect(reasons == [.connectionTerminatedMICFailure])
            #expect(bench.security(station) == nil)
        }
    }

    @Test(arguments: [true, false]) func subscriptionsOfBondedClientsAreRestored(isBonding: Bool) throws {
        var bench = try bench(isBonding: isBonding)
        let value = try bench.handle(0xFFF3)
        let descriptor = AttributeHandle(value.rawValue + 1)
        try bench.pair(by: bench.central)
        bench.clear()
        #expect(try bench.run(.subscribe(descriptor, .notification)) == .success(.done))
        let events = bench.events(bench.peripheral)
        let changed = events.firstIndex { if case .bondChanged = $0 { true } else { false } }
        #expect((changed != nil) == isBonding)
        if isBonding {
            let bond = try #require(bench.bench.stations[bench.peripheral].host.bonds(of: PairingBench.set).first)
            #expect(bond.client.configurations == [value: .notification])
            #expect(events.contains(.bondChanged(PairingBench.set, bond)))
        }
        try bench.reconnect()
        let link = try bench.link(bench.peripheral)
        // The client is not identified before the link is encrypted.
        #expect(bench.bench.stations[bench.peripheral].host.subscription(to: value, of: link).isEmpty)
        try bench.pair(by: bench.central)
        let subscription = bench.bench.stations[bench.peripheral].host.subscription(to: value, of: link)
        #expect(subscription == (isBonding ? .notification : []))
        let isReported = bench.events(bench.peripheral).contains {
            if case .subscriptionChanged(_, _, value, _, .notification) = $0 { true } else { false }
        }
        #expect(isReported == isBonding)
        bench.bench.perform(bench.peripheral) { $0.notify([9], of: value, to: link) }
        bench.settle(within: .seconds(1))
        let central = try bench.link(bench.central)
        #expect(bench.events(bench.central).contains(.notification(central, value, [9])) == isBonding)
        // A client that repeats its subscription is reported once: it may be ready for values only now.
        for count in [1, 0] {
            bench.clear()
            #expect(try bench.run(.subscribe(descriptor, .notification)) == .success(.done))
            let changes = bench.events(bench.peripheral).count {
                if case .subscriptionChanged(_, _, value, _, .notification) = $0 { true } else { false }
            }
            #expect(changes == count)
        }
    }

    @Test func bondedClientReceivesServiceChanged() throws {
        var bench = try bench()
        try bench.pair(by: bench.central)
        let table = try AttributeDatabase(
            services: [PairingBench.service], genericAccess: GenericAccess(name: "beacon"))
        let changed = try #require(table.valueHandle(of: .serviceChanged))
        #expect(try bench.run(.subscribe(AttributeHandle(changed.rawValue + 1), .indication)) == .success(.done))
        let value = try bench.handle(0xFFF3)
        #expect(try bench.run(.subscribe(AttributeHandle(value.rawValue + 1), .notification)) == .success(.done))
        let kept = try #require(bench.bench.stations[bench.peripheral].host.bonds(of: PairingBench.set).first).client
        #expect(kept.databaseHash == table.hash)
        #expect(kept.configurations == [changed: .indication, value: .notification])

        let other = try AttributeDatabase(
            services: [GATTService(uuid: .bit16(0x180F), characteristics: []), PairingBench.service],
            genericAccess: GenericAccess(name: "beacon"))
        bench.bench.perform(bench.peripheral) { $0.setDatabase(other, for: PairingBench.set) }
        try bench.reconnect()
        try bench.pair(by: bench.central)
        let link = try bench.link(bench.central)
        #expect(bench.events(bench.central).contains(.indication(link, changed, [0x01, 0x00, 0xFF, 0xFF])))
        let bonds = bench.bench.stations[bench.peripheral].host.bonds(of: PairingBench.set)
        #expect(bonds.first?.client.databaseHash == other.hash)
        // Another characteristic may have this handle now.
        #expect(bonds.first?.client.configurations == [changed: .indication])
        // The client has received the indication now.
        try bench.reconnect()
        try bench.pair(by: bench.central)
        #expect(!bench.events(bench.central).contains { if case .indication = $0 { true } else { false } })
    }

    @Test func oldestBondIsDropped() {
        var host = LEHost()
        let bonds = (0..<100).map { Bond(peer: PeerAddress(.random($0), type: .random)) }
        host.setBonds(bonds, for: nil)
        #expect(host.bonds(of: nil) == Array(bonds.suffix(64)))
    }

    @Test func recordsAreParsedToTheSameBonds() throws {
        var random = SplitMix64(seed: 3)
        for round in 0..<200 {
            func key() -> Octets<16> { Octets(padding: random.bytes(16)) }
            var bond = Bond(
                peer: PeerAddress(
                    BluetoothAddress(octets: random.bytes(6)) ?? .zero, type: round % 2 == 0 ? .public : .random),
                keySize: UInt8.random(in: 7...16, using: &random), isAuthenticated: round % 3 == 0,
                isSecureConnections: round % 5 == 0)
            if round % 2 == 0 { bond.resolvingKey = key() }
            if round % 3 == 1 { bond.peripheralKey = Bond.Key(key()) }
            if round % 3 == 2 {
                bond.centralKey = Bond.Key(
                    key(),
                    name: KeyName(encryptedDiversifier: .random(in: 0...0xFFFF, using: &random), randomNumber: .max))
                bond.ownSigningKey = key()
            }
            if round % 7 == 0 {
                bond.peerSigningKey = key()
                bond.client = ATTClientState(
                    configurations: [0x12: .notification, 0x15: .indication], features: .robustCaching,
                    databaseHash: random.bytes(16))
            }
            #expect(try Bond(record: bond.record) == bond)
        }
    }

    @Test func malformedRecordsNameTheValue() throws {
        let bond = Bond(
            peer: PeerAddress(.random(1), type: .random), resolvingKey: .zero, peripheralKey: Bond.Key(.zero),
            ownSigningKey: .zero,
            client: ATTClientState(
                configurations: [3: .notification], features: .robustCaching,
                databaseHash: [UInt8](repeating: 0, count: 16)))
        #expect(bond.record["peer"] == "random C0:00:00:00:00:01")
        #expect(bond.record["client-configurations"] == "3:1")
        for name in ["peer", "key-size", "authenticated", "secure-connections"] {
            var record = bond.record
            record[name] = nil
            #expect(throws: BondRecordFault.self) { try Bond(record: record) }
        }
        for name in bond.record.keys {
            for text in ["", "x", " 0102", "99999", "public", "7 8 9 10"] {
                if text == "", name == "client-configurations" { continue }
                var record = bond.record
                record[name] = text
                let fault = #expect(throws: BondRecordFault.self) { try Bond(record: record) }
                #expect(fault?.name == name)
            }
        }
    }
}
