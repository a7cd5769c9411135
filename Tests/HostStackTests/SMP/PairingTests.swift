// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// Two hosts pair over the virtual air.
@Suite struct PairingTests {
    /// The settings of two devices, and the device that shows or requests the number or passkey.
    struct Case: Sendable, CustomTestStringConvertible {
        let central: PairingSettings.InputOutput
        let peripheral: PairingSettings.InputOutput
        /// For legacy pairing, then for LE Secure Connections.
        let methods: [Method]

        var testDescription: String { "\(central.rawValue) to \(peripheral.rawValue)" }
    }

    enum Method: Sendable {
        case justWorks, centralShows, peripheralShows, bothEnter, comparison
    }

    /// Table 2.8 (Core 5.4, Vol 3, Part H, 2.3.5.1), the initiator first.
    static let table: [Case] = {
        let works = [Method.justWorks, .justWorks]
        let shows = [Method.centralShows, .centralShows]
        let enters = [Method.peripheralShows, .peripheralShows]
        let compares = [Method.justWorks, .comparison]
        return [
            Case(central: .display, peripheral: .display, methods: works),
            Case(central: .displayYesNo, peripheral: .display, methods: works),
            Case(central: .keyboard, peripheral: .display, methods: enters),
            Case(central: .none, peripheral: .display, methods: works),
            Case(central: .keyboardDisplay, peripheral: .display, methods: enters),
            Case(central: .display, peripheral: .displayYesNo, methods: works),
            Case(central: .displayYesNo, peripheral: .displayYesNo, methods: compares),
            Case(central: .keyboard, peripheral: .displayYesNo, methods: enters),
            Case(central: .none, peripheral: .displayYesNo, methods: works),
            Case(central: .keyboardDisplay, peripheral: .displayYesNo, methods: [.peripheralShows, .comparison]),
            Case(central: .display, peripheral: .keyboard, methods: shows),
            Case(central: .displayYesNo, peripheral: .keyboard, methods: shows),
            Case(central: .keyboard, peripheral: .keyboard, methods: [.bothEnter, .bothEnter]),
            Case(central: .none, peripheral: .keyboard, methods: works),
            Case(central: .keyboardDisplay, peripheral: .keyboard, methods: shows),
            Case(central: .display, peripheral: .none, methods: works),
            Case(central: .displayYesNo, peripheral: .none, methods: works),
            Case(central: .keyboard, peripheral: .none, methods: works),
            Case(central: .none, peripheral: .none, methods: works),
            Case(central: .keyboardDisplay, peripheral: .none, methods: works),
            Case(central: .display, peripheral: .keyboardDisplay, methods: shows),
            Case(central: .displayYesNo, peripheral: .keyboardDisplay, methods: [.centralShows, .comparison]),
            Case(central: .keyboard, peripheral: .keyboardDisplay, methods: enters),
            Case(central: .none, peripheral: .keyboardDisplay, methods: works),
            Case(central: .keyboardDisplay, peripheral: .keyboardDisplay, methods: [.centralShows, .comparison]),
        ]
    }()

    private func settings(
        _ inputOutput: PairingSettings.InputOutput, secureConnections: Bool
    ) -> PairingSettings {
        PairingSettings(inputOutput: inputOutput, secureConnections: secureConnections ? .preferred : .off)
    }

    private func method(_ bench: PairingBench) -> Method? {
        func has(_ station: Int, _ test: (LEHostEvent) -> Bool) -> Bool { bench.events(station).contains(where: test) }
        let shows: (LEHostEvent) -> Bool = { if case .displayPasskey = $0 { true } else { false } }
        let wants: (LEHostEvent) -> Bool = { if case .passkeyWanted = $0 { true } else { false } }
        let compares: (LEHostEvent) -> Bool = { if case .comparisonWanted = $0 { true } else { false } }
        if has(bench.central, compares), has(bench.peripheral, compares) { return .comparison }
        if has(bench.central, shows), has(bench.peripheral, wants) { return .centralShows }
        if has(bench.peripheral, shows), has(bench.central, wants) { return .peripheralShows }
        if has(bench.central, wants), has(bench.peripheral, wants) { return .bothEnter }
        let asks = [bench.central, bench.peripheral].contains { has($0, shows) || has($0, wants) || has($0, compares) }
        return asks ? nil : .justWorks
    }

    @Test(arguments: table, [false, true])
    func methodFollowsTheCapabilities(_ test: Case, isSecureConnections: Bool) throws {
        let expected = test.methods[isSecureConnections ? 1 : 0]
        var bench = try PairingBench(
            central: settings(test.central, secureConnections: true),
            peripheral: settings(test.peripheral, secureConnections: isSecureConnections))
        try bench.pair(by: bench.central)
        #expect(method(bench) == expected)
        if expected == .comparison {
            let numbers = [bench.central, bench.peripheral].flatMap { station in
                bench.events(station).compactMap { if case .comparisonWanted(_, let value) = $0 { value } else { nil } }
            }
            #expect(numbers.count == 2 && numbers[0] == numbers[1] && numbers[0] < 1_000_000)
        }
        for station in [bench.central, bench.peripheral] {
            #expect(bench.failure(station) == nil)
            let (bond, isBonded) = try #require(bench.paired(station))
            #expect(isBonded)
            #expect(bond.isSecureConnections == isSecureConnections)
            #expect(bond.isAuthenticated == (expected != .justWorks))
            #expect(bond.keySize == 16)
            #expect(
                bench.security(station)
                    == LinkSecurity(
                        isEncrypted: true, isAuthenticated: expected != .justWorks, hasKey: true, keySize: 16))
        }
        let central = try #require(bench.paired(bench.central)).bond
        let peripheral = try #require(bench.paired(bench.peripheral)).bond
        #expect(central.centralKey != nil && central.centralKey == peripheral.peripheralKey)
        #expect(central.peripheralKey == peripheral.centralKey)
        #expect(central.peer == PeerAddress(.random(1), type: .random))
        #expect((central.centralKey?.name == KeyName.none) == isSecureConnections)
    }

    @Test func hostWithoutSettingsDoesNotPair() throws {
        var bench = try PairingBench(central: PairingSettings(), peripheral: nil)
        try bench.pair(by: bench.central)
        #expect(bench.failure(bench.central) == .rejected(.pairingNotSupported))
        try bench.pair(by: bench.peripheral)
        #expect(bench.failure(bench.peripheral) == .notPossible)
        var other = try PairingBench(central: nil, peripheral: PairingSettings())
        try other.pair(by: other.peripheral)
        #expect(other.failure(other.peripheral) == .rejected(.pairingNotSupported))
        #expect(other.events(other.central).isEmpty)
    }

    @Test(arguments: [false, true]) func attributesRequireTheirSecurity(isProtected: Bool) throws {
        var bench = try PairingBench(
            central: settings(isProtected ? .keyboard : .none, secureConnections: true),
            peripheral: settings(.display, secureConnections: true))
        let encrypted = GATTProcedure.read(try bench.handle(0xFFF1))
        let authenticated = GATTProcedure.read(try bench.handle(0xFFF2))
        let refusal = Result<GATTResult, ATTClientError>.failure(
            .refused(.insufficientAuthentication, try bench.handle(0xFFF1)))
        #expect(try bench.run(encrypted) == refusal)
        try bench.pair(by: bench.central)
        #expect(try bench.run(encrypted) == .success(.value([1])))
        #expect((try bench.run(authenticated) == .success(.value([2]))) == isProtected)
        try bench.reconnect()
        // There is a key now, so only encryption is missing.
        #expect(
            try bench.run(encrypted)
                == .failure(.refused(.insufficientEncryption, try bench.handle(0xFFF1))))
        try bench.pair(by: bench.central)
        #expect(bench.paired(bench.central) == nil)
        #expect(try bench.run(encrypted) == .success(.value([1])))
        #expect((try bench.run(authenticated) == .success(.value([2]))) == isProtected)
    }
}
