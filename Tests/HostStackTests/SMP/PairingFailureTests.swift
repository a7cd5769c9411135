// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// Failures between two hosts over the virtual air.
@Suite struct PairingFailureTests {
    private static let display = PairingSettings(inputOutput: .display, requiresAuthentication: true)
    private static let keyboard = PairingSettings(inputOutput: .keyboard, requiresAuthentication: true)
    private static let compares = PairingSettings(inputOutput: .displayYesNo, requiresAuthentication: true)

    private static func legacy(_ policy: PairingSettings) -> PairingSettings {
        var policy = policy
        policy.secureConnections = .off
        return policy
    }

    @Test(arguments: [
        (display, keyboard), (keyboard, display), (keyboard, keyboard), (legacy(display), keyboard),
        (keyboard, legacy(display)), (legacy(keyboard), keyboard),
    ])
    func wrongPasskeyFails(_ central: PairingSettings, _ peripheral: PairingSettings) throws {
        var bench = try PairingBench(central: central, peripheral: peripheral)
        bench.users = .mistaken
        try bench.pair(by: bench.central)
        let failures = [bench.failure(bench.central), bench.failure(bench.peripheral)]
        #expect(failures.contains(.failed(.confirmValueFailed)))
        #expect(failures.contains(.rejected(.confirmValueFailed)))
        for station in [bench.central, bench.peripheral] {
            #expect(bench.paired(station) == nil && bench.security(station) == nil)
        }
        // After the waiting time they may try again.
        bench.users = .careful
        bench.bench.advance(by: .seconds(2))
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central)?.bond.isAuthenticated == true)
    }

    @Test func differentNumbersFail() throws {
        var bench = try PairingBench(central: Self.compares, peripheral: Self.compares)
        bench.users = .mistaken
        try bench.pair(by: bench.central)
        let failures = [bench.failure(bench.central), bench.failure(bench.peripheral)]
        #expect(failures.contains(.failed(.numericComparisonFailed)))
        #expect(failures.contains(.rejected(.numericComparisonFailed)))
    }

    @Test func missingPasskeyFails() throws {
        var bench = try PairingBench(central: Self.display, peripheral: Self.keyboard)
        bench.users = .absent
        try bench.pair(by: bench.central)
        let link = try bench.link(bench.peripheral)
        bench.bench.perform(bench.peripheral) { $0.replyPasskey(nil, of: link) }
        bench.settle()
        #expect(bench.failure(bench.peripheral) == .failed(.passkeyEntryFailed))
        #expect(bench.failure(bench.central) == .rejected(.passkeyEntryFailed))
    }

    @Test(arguments: [
        (display, keyboard, true, PairingFailedReason.unspecified),
        (display, keyboard, false, .passkeyEntryFailed), (compares, compares, true, .numericComparisonFailed),
        (compares, compares, false, .numericComparisonFailed),
    ])
    func eitherSideMayCancel(
        _ central: PairingSettings, _ peripheral: PairingSettings, isCentral: Bool, _ reason: PairingFailedReason
    ) throws {
        var bench = try PairingBench(central: central, peripheral: peripheral)
        bench.users = .absent
        try bench.pair(by: bench.central)
        let station = isCentral ? bench.central : bench.peripheral
        let link = try bench.link(station)
        bench.bench.perform(station) { $0.cancelPairing(of: link) }
        bench.settle()
        #expect(bench.failure(station) == .cancelled)
        #expect(bench.failure(isCentral ? bench.peripheral : bench.central) == .rejected(reason))
        bench.bench.perform(station) { $0.cancelPairing(of: link) }
        bench.settle()
        #expect(bench.events(station).filter { if case .pairingFailed = $0 { true } else { false } }.count == 1)
    }

    @Test func timeoutClosesTheSecurityManager() throws {
        var bench = try PairingBench(central: Self.display, peripheral: Self.keyboard)
        bench.users = .absent
        try bench.pair(by: bench.central, within: .seconds(29))
        #expect(bench.failure(bench.central) == nil && bench.failure(bench.peripheral) == nil)
        bench.settle(within: .seconds(2))
        #expect(bench.failure(bench.central) == .timedOut && bench.failure(bench.peripheral) == .timedOut)
        bench.users = .careful
        bench.bench.advance(by: .seconds(2))
        try bench.pair(by: bench.central)
        #expect(bench.failure(bench.central) == .timedOut)
        #expect(bench.events(bench.peripheral).isEmpty)
        try bench.reconnect()
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central) != nil)
    }

    @Test func securityRequestTimesOut() throws {
        var bench = try PairingBench(
            central: PairingSettings(), peripheral: PairingSettings(), centralAcceptance: .ask)
        bench.users = .absent
        try bench.pair(by: bench.peripheral, within: .seconds(31))
        #expect(bench.failure(bench.peripheral) == .timedOut)
        #expect(bench.failure(bench.central) == nil)
    }

    @Test func failedAttemptsDoubleTheWait() throws {
        var bench = try PairingBench(central: Self.display, peripheral: Self.keyboard)
        bench.users = .mistaken
        var waits: [Duration] = []
        for _ in 0..<4 {
            try bench.pair(by: bench.central, within: .milliseconds(600))
            #expect(bench.failure(bench.peripheral) == .failed(.confirmValueFailed))
            try bench.pair(by: bench.central, within: .milliseconds(10))
            guard let failure = bench.failure(bench.central), let wait = failure.retryAfter,
                failure == .tooEarly(retryAfter: wait)
            else {
                Issue.record("there is no wait: \(bench.events(bench.central))")
                return
            }
            waits.append(wait)
            bench.bench.advance(by: wait + .milliseconds(100))
        }
        for (shorter, longer) in zip(waits, waits.dropFirst()) { #expect(longer > shorter * 3 / 2) }
        #expect(waits[0] < .seconds(1) && waits[3] < .seconds(8) && waits[3] > .seconds(6))
    }

    @Test func bothSidesMayStartAtOnce() throws {
        var bench = try PairingBench(central: Self.display, peripheral: Self.keyboard)
        let links = [try bench.link(bench.central), try bench.link(bench.peripheral)]
        bench.bench.stations[bench.peripheral].host.pair(links[1])
        try bench.pair(by: bench.central)
        for station in [bench.central, bench.peripheral] {
            #expect(bench.paired(station) != nil && bench.failure(station) == nil)
        }
        // The request is answered: it does not time out later.
        bench.settle(within: .seconds(35))
        #expect(bench.failure(bench.peripheral) == nil)
    }

    @Test func disconnectionEndsThePairing() throws {
        var bench = try PairingBench(central: Self.display, peripheral: Self.keyboard)
        bench.users = .absent
        try bench.pair(by: bench.central)
        let link = try bench.link(bench.central)
        bench.bench.perform(bench.central) { $0.disconnect(link) }
        bench.settle()
        for station in [bench.central, bench.peripheral] {
            let events = bench.events(station)
            let failed = try #require(events.firstIndex { if case .pairingFailed = $0 { true } else { false } })
            let ended = try #require(events.firstIndex { if case .disconnected = $0 { true } else { false } })
            #expect(bench.failure(station) == .disconnected && failed < ended)
        }
    }

    @Test func unmetRequirementsFail() throws {
        var bench = try PairingBench(
            central: PairingSettings(inputOutput: .none), peripheral: Self.keyboard)
        try bench.pair(by: bench.central)
        #expect(bench.failure(bench.central) == .rejected(.authenticationRequirements))
        bench = try PairingBench(
            central: PairingSettings(secureConnections: .off), peripheral: PairingSettings(secureConnections: .required)
        )
        try bench.pair(by: bench.central)
        #expect(bench.failure(bench.central) == .rejected(.authenticationRequirements))
        bench = try PairingBench(
            central: PairingSettings(secureConnections: .required), peripheral: PairingSettings(secureConnections: .off)
        )
        try bench.pair(by: bench.central)
        #expect(bench.failure(bench.peripheral) == .rejected(.authenticationRequirements))
        bench = try PairingBench(
            central: PairingSettings(maximumKeySize: 8), peripheral: PairingSettings(minimumKeySize: 9))
        try bench.pair(by: bench.central)
        #expect(bench.failure(bench.central) == .rejected(.encryptionKeySize))
    }

    @Test(arguments: [7, 12, 16], [PairingSettings.Requirement.off, .required])
    func keysHaveTheLongestCommonLength(_ size: UInt8, _ secureConnections: PairingSettings.Requirement) throws {
        var bench = try PairingBench(
            central: PairingSettings(secureConnections: secureConnections),
            peripheral: PairingSettings(secureConnections: secureConnections, maximumKeySize: size))
        try bench.pair(by: bench.central)
        for station in [bench.central, bench.peripheral] {
            let bond = try #require(bench.paired(station)).bond
            #expect(bond.keySize == size && bench.security(station)?.keySize == size)
            for key in [bond.centralKey, bond.peripheralKey] {
                let octets = try #require(key).value.bytes
                #expect(octets.dropFirst(Int(size)).allSatisfy { $0 == 0 })
                #expect(octets.prefix(Int(size)).contains { $0 != 0 })
            }
        }
    }

    @Test(arguments: [true, false], [true, false])
    func ownerDecidesWhenAsked(isGranted: Bool, isCentral: Bool) throws {
        var bench = try PairingBench(
            central: PairingSettings(), peripheral: PairingSettings(), centralAcceptance: isCentral ? .ask : .always,
            peripheralAcceptance: isCentral ? .always : .ask)
        let asked = isCentral ? bench.central : bench.peripheral
        let other = isCentral ? bench.peripheral : bench.central
        bench.users = isGranted ? .careful : .mistaken
        try bench.pair(by: other)
        #expect(bench.events(asked).first == .pairingRequested(try bench.link(asked)))
        #expect((bench.paired(asked) != nil) == isGranted)
        #expect(bench.failure(other) == (isGranted ? nil : .rejected(.pairingNotSupported)))
    }

    @Test func pairingRequestCanBeCancelledByTheOwner() throws {
        var bench = try PairingBench(
            central: PairingSettings(), peripheral: PairingSettings(), centralAcceptance: .ask)
        bench.users = .absent
        try bench.pair(by: bench.peripheral)
        let link = try bench.link(bench.central)
        bench.bench.perform(bench.central) { $0.cancelPairing(of: link) }
        bench.settle()
        #expect(bench.failure(bench.central) == .cancelled)
        #expect(bench.failure(bench.peripheral) == .rejected(.pairingNotSupported))
        bench.users = .careful
        try bench.pair(by: bench.peripheral)
        #expect(bench.paired(bench.central) != nil)
    }

    @Test func acceptanceNeverStillAllowsOwnPairing() throws {
        var bench = try PairingBench(
            central: PairingSettings(), peripheral: PairingSettings(), peripheralAcceptance: .never)
        try bench.pair(by: bench.central)
        #expect(bench.failure(bench.central) == .rejected(.pairingNotSupported))
        try bench.pair(by: bench.peripheral)
        #expect(bench.paired(bench.central) != nil && bench.paired(bench.peripheral) != nil)
    }
}
