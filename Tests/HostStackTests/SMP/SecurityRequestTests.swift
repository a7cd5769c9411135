// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing

@testable import HostStack

/// A peripheral that requests more than the key of the bond provides (Core 5.4, Vol 3, Part H, 2.4.6), and the confirmation of
/// pairings that just work.
@Suite struct SecurityRequestTests {
    /// The order of the peripheral's request, the central's encryption with the key of the bond, and the time at which the request
    /// arrives.
    enum Order: CaseIterable {
        case request
        case requestThenEncryption
        case encryptionThenRequest
        case encryptedThenRequest
    }

    private static let simple = PairingSettings()
    private static let demanding = PairingSettings(inputOutput: .display, requiresAuthentication: true)
    private static let keyboard = PairingSettings(inputOutput: .keyboardDisplay)

    /// Devices with a bond that just works, of which the peripheral requests protection from now on.
    private func bonded(_ acceptance: PairingAcceptance) throws -> PairingBench {
        var bench = try PairingBench(central: Self.simple, peripheral: Self.simple, centralAcceptance: acceptance)
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central)?.bond.isAuthenticated == false)
        try bench.reconnect()
        bench.bench.perform(bench.peripheral) { $0.setPairing(Self.demanding, for: PairingBench.set) }
        bench.bench.perform(bench.central) { $0.setPairing(Self.keyboard, acceptance: acceptance, for: nil) }
        return bench
    }

    @Test(arguments: Order.allCases, [PairingAcceptance.ask, .always])
    func keyWithoutProtectionIsReplaced(_ order: Order, _ acceptance: PairingAcceptance) throws {
        var bench = try bonded(acceptance)
        let (central, peripheral) = (try bench.link(bench.central), try bench.link(bench.peripheral))
        switch order {
        case .request: bench.bench.perform(bench.peripheral) { $0.pair(peripheral) }
        case .requestThenEncryption:
            bench.bench.perform(bench.peripheral) { $0.pair(peripheral) }
            let isRequested: (LEHostEvent) -> Bool? = { if case .pairingRequested = $0 { true } else { nil } }
            if acceptance == .ask { _ = try bench.bench.advance(until: bench.central, isRequested) }
            bench.bench.perform(bench.central) { $0.pair(central, Self.simple) }
        case .encryptionThenRequest:
            bench.bench.perform(bench.central) { $0.pair(central, Self.simple) }
            bench.bench.perform(bench.peripheral) { $0.pair(peripheral) }
        case .encryptedThenRequest:
            bench.bench.perform(bench.central) { $0.pair(central, Self.simple) }
            bench.settle(within: .seconds(1))
            bench.bench.perform(bench.peripheral) { $0.pair(peripheral) }
        }
        bench.settle(within: .seconds(10))
        #expect(bench.paired(bench.central)?.bond.isAuthenticated == true)
        #expect(bench.paired(bench.peripheral)?.bond.isAuthenticated == true)
        #expect(bench.security(bench.central)?.isAuthenticated == true)
    }

    @Test(arguments: Order.allCases)
    func keyThatProvidesWhatIsRequestedIsKept(_ order: Order) throws {
        var bench = try PairingBench(central: Self.simple, peripheral: Self.simple, centralAcceptance: .ask)
        try bench.pair(by: bench.central)
        try bench.reconnect()
        let (central, peripheral) = (try bench.link(bench.central), try bench.link(bench.peripheral))
        if order == .encryptionThenRequest || order == .encryptedThenRequest {
            bench.bench.perform(bench.central) { $0.pair(central) }
            if order == .encryptedThenRequest { bench.settle(within: .seconds(1)) }
        }
        bench.bench.perform(bench.peripheral) { $0.pair(peripheral) }
        if order == .requestThenEncryption { bench.bench.perform(bench.central) { $0.pair(central) } }
        bench.settle()
        #expect(bench.security(bench.central)?.isEncrypted == true)
        #expect(bench.paired(bench.central) == nil && bench.failure(bench.peripheral) == nil)
    }

    /// Which side confirms, the generation, and the answer.
    @Test(arguments: [true, false], [PairingSettings.Requirement.off, .required])
    func pairingThatJustWorksIsConfirmed(_ isCentral: Bool, _ generation: PairingSettings.Requirement) throws {
        let plain = PairingSettings(secureConnections: generation)
        var asking = plain
        asking.confirmsJustWorks = true
        for users in [PairingBench.Users.careful, .mistaken] {
            var bench = try PairingBench(central: isCentral ? asking : plain, peripheral: isCentral ? plain : asking)
            bench.users = users
            try bench.pair(by: bench.central)
            let questions = [bench.central, bench.peripheral].map { station in
                bench.events(station).count { if case .confirmationWanted = $0 { true } else { false } }
            }
            #expect(questions == (isCentral ? [1, 0] : [0, 1]))
            #expect((bench.paired(bench.central) != nil) == (users == .careful))
            let reason: PairingError.Code = generation == .off ? .passkeyEntryFailed : .comparisonFailed
            if users == .mistaken { #expect(bench.failure(bench.central)?.code == reason) }
        }
    }
}
