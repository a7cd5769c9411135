// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Radio
import RunAPI
import TestTraits
import Testing

@testable import Emulator

/// Pairing: the radio, the profile and the user.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct EmulatorPairingTests {
    private static func profile(_ pairing: String) -> String { Samples.entrance + "\n    pairing: \(pairing)\n" }

    private func running(_ pairing: String, _ body: (Rig) async throws -> Void) async throws {
        try await withReadyRig(Self.profile(pairing)) { rig in
            rig.connect("phone", to: "entrance")
            try await rig.event("connected")
            try await body(rig)
        }
    }

    private func report(_ event: PairingEvent, _ rig: Rig) {
        rig.radio.emit(.pairing(BeaconIdentifier("entrance"), central: "phone", event))
    }

    private func answers(_ rig: Rig) -> [PairingAnswer] {
        rig.radio.calls.entries.compactMap { call in
            if case .answerPairing(let answer, "phone") = call { answer } else { nil }
        }
    }

    @Test
    func radioReceivesThePairingSettings() async throws {
        try await running("{ io: display, passkey: 123456, mitm: true }") { rig in
            guard case .open(let beacons, _) = rig.radio.calls.entries.first else {
                Issue.record("the radio was not opened")
                return
            }
            let pairing = try #require(beacons.first?.pairing)
            #expect(pairing.inputOutput == .display && pairing.passkey == 123_456 && pairing.requiresAuthentication)
            #expect(rig.radio.keeper != nil)
        }
    }

    @Test
    func pairingEventsAreReported() async throws {
        try await running("{ io: display }") { rig in
            report(.began, rig)
            #expect(try await rig.event("pairing-began").central == "phone")
            report(.passkeyShown(42), rig)
            #expect(try await rig.event("passkey-shown").passkey == "000042")
            report(
                .paired(
                    PairedPeer(
                        address: BondFileTests.peer, isBonded: true, isAuthenticated: true,
                        usesSecureConnections: true, keySize: 16)), rig)
            let paired = try await rig.event("paired")
            #expect(paired.peer == "C0:FF:EE:00:00:02" && paired.peerType == "random" && paired.bonded == true)
            #expect(paired.authenticated == true && paired.secureConnections == true && paired.keySize == 16)
            report(.encrypted(LinkProtection(isAuthenticated: true, keySize: 16)), rig)
            #expect(try await rig.event("encrypted").authenticated == true)
            report(.failed(PairingError(.wrongPasskey)), rig)
            let failed = try await rig.event("pairing-failed")
            #expect(failed.code == "wrong-passkey" && failed.message != nil && failed.hint != nil)
            report(.forgotten(BondFileTests.peer), rig)
            #expect(try await rig.event("bond-forgotten").peer == "C0:FF:EE:00:00:02")
        }
    }

    @Test
    func profileAnswersPairing() async throws {
        try await running("{ io: keyboard-display, passkey: 000007, comparison: reject }") { rig in
            report(.passkeyWanted, rig)
            report(.comparisonWanted(5), rig)
            _ = try await rig.radio.calls.entry { $0 == .answerPairing(.comparison(false), "phone") }
            #expect(answers(rig) == [.passkey(7), .comparison(false)])
        }
    }

    @Test
    func userAnswersPairing() async throws {
        try await running("{ io: keyboard-display }") { rig in
            report(.passkeyWanted, rig)
            try await rig.event("passkey-wanted")
            try await rig.settle()
            await #expect(throws: EmulatorError.self) {
                try await rig.emulator.answerPairing(.comparison(true), of: "entrance")
            }
            try await rig.emulator.answerPairing(.passkey(123), of: "entrance")
            // The question was answered, so no pairing waits any more.
            await #expect(throws: EmulatorError.self) {
                try await rig.emulator.answerPairing(.passkey(123), of: "entrance")
            }
            report(.comparisonWanted(99), rig)
            #expect(try await rig.event("comparison-wanted").passkey == "000099")
            try await rig.settle()
            try await rig.emulator.answerPairing(.comparison(true), of: "entrance")
            #expect(answers(rig) == [.passkey(123), .comparison(true)])
        }
    }

    @Test
    func answerToAnEndedPairingIsRefused() async throws {
        try await running("{ io: keyboard }") { rig in
            report(.passkeyWanted, rig)
            rig.disconnect("phone", from: "entrance")
            try await rig.event("disconnected")
            try await rig.settle()
            await #expect(throws: EmulatorError.self) {
                try await rig.emulator.answerPairing(.passkey(1), of: "entrance")
            }
            #expect(answers(rig).isEmpty)
        }
    }

    @Test
    func bondsAreListedAndRemoved() async throws {
        try await running("{ io: display }") { rig in
            let keeper = try #require(rig.radio.keeper)
            #expect(keeper.save(BondFileTests.secrets, of: BeaconIdentifier("entrance")))
            #expect(try await rig.event("bonds-saved").file?.hasSuffix("museum/entrance.bonds") == true)
            let bonds = try await rig.emulator.bonds(of: nil)
            #expect(bonds.map(\.beacon) == ["entrance", "entrance"])
            #expect(bonds.map(\.peer) == BondFileTests.secrets.bonds.map(\.peer))
            _ = try await rig.emulator.forgetBonds(of: "entrance", peer: BondFileTests.peer)
            #expect(rig.radio.calls.entries.contains(.forgetBonds("entrance", BondFileTests.peer)))
        }
    }

    @Test
    func securityIsRequestedOnlyIfTheBeaconPairs() async throws {
        try await withReadyRig(Samples.entrance) { rig in
            rig.connect("phone", to: "entrance")
            try await rig.event("connected")
            await #expect(throws: EmulatorError.self) { try await rig.emulator.requestSecurity(of: "entrance") }
        }
        try await running("{}") { rig in
            try await rig.settle()
            try await rig.emulator.requestSecurity(of: "entrance")
            #expect(rig.radio.calls.entries.contains(.requestSecurity("phone")))
        }
    }

    // MARK: - Operations

    @Test
    func operationsListBondsAndAnswerPairings() async throws {
        try await running("{ io: keyboard }") { rig in
            let keeper = try #require(rig.radio.keeper)
            #expect(keeper.save(BondFileTests.secrets, of: BeaconIdentifier("entrance")))
            let bonds = try await rig.perform(ListBonds()).elements
            #expect(bonds.map(\.peer) == ["C0:FF:EE:00:00:02", "00:01:02:03:04:05"])
            #expect(bonds.first?.authenticated == true && bonds.first?.secureConnections == false)
            let elsewhere = await #expect(throws: EmulatorError.self) {
                try await rig.perform(ListBonds { $0.beacon = BeaconName("exit") })
            }
            #expect(elsewhere?.exitCode == 64)
            func forget(_ peer: String) async throws -> Int {
                let address = try #require(BluetoothAddress(peer))
                let operation = ForgetBonds {
                    $0.beacon = BeaconName("entrance")
                    $0.peer = BondPeer(address)
                }
                return try await rig.perform(operation).forgotten
            }
            #expect(try await forget("C0:FF:EE:00:00:02") == 1)
            let stranger = await #expect(throws: EmulatorError.self) { try await forget("C0:FF:EE:00:00:03") }
            #expect(stranger?.exitCode == 64)
            #expect(
                stranger?.description
                    == "entrance has no bond with C0:FF:EE:00:00:03; beaconry ctl bonds lists its bonds: "
                    + "C0:FF:EE:00:00:02, 00:01:02:03:04:05")
            let answer = try AnswerPairing {
                $0.beacon = BeaconName("entrance")
                $0.answer = .passkey(try ValueText.passkey("123456"))
            }
            let early = await #expect(throws: EmulatorError.self) { try await rig.perform(answer) }
            #expect(early?.exitCode == 65)
            report(.passkeyWanted, rig)
            try await rig.event("passkey-wanted")
            try await rig.settle()
            _ = try await rig.perform(answer)
            #expect(answers(rig) == [.passkey(123_456)])
        }
    }
}
