// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// A host and a peer whose security manager follows a script.
@Suite struct PairingRefusalTests {
    private static let key = "0102030405060708090a0b0c0d0e0f10"
    private static let zeros = "0000000000000000000000000000000000000000000000000000000000000000"

    /// The PDUs that a host with these settings receives, and the reason that it sends after the last one; `nil` for
    /// none.
    struct Script: Sendable, CustomTestStringConvertible {
        let settings: PairingSettings?
        let acceptance: PairingAcceptance
        let received: [String]
        let reason: PairingFailedReason?

        init(_ received: [String], _ reason: PairingFailedReason?) { self.init(PairingSettings(), received, reason) }

        init(
            _ settings: PairingSettings?, acceptance: PairingAcceptance = .always, _ received: [String],
            _ reason: PairingFailedReason?
        ) {
            self.settings = settings
            self.acceptance = acceptance
            self.received = received
            self.reason = reason
        }

        var testDescription: String { received.joined(separator: ", ") }
    }

    static let asPeripheral: [Script] = [
        Script(nil, ["01 03 00 01 10 07 07"], .pairingNotSupported), Script(nil, ["01"], .pairingNotSupported),
        Script(nil, ["0b 01"], .pairingNotSupported), Script(nil, ["05 05"], nil), Script(nil, ["03 00"], nil),
        Script(nil, ["ff"], nil), Script(nil, [""], nil),
        Script(PairingSettings(), acceptance: .never, ["01 03 00 01 10 07 07"], .pairingNotSupported),
        // Values out of range.
        Script(["01 05 00 01 10 07 07"], .invalidParameters), Script(["01 03 02 01 10 07 07"], .invalidParameters),
        Script(["01 03 00 01 06 07 07"], .invalidParameters), Script(["01 03 00 01 11 07 07"], .invalidParameters),
        // Lengths.
        Script(["01 03 00 01 10 07"], .invalidParameters), Script(["01 03 00 01 10 07 07 00"], .invalidParameters),
        Script(["01 03 00 01 10 07 07", "03 00"], .invalidParameters), Script(["01 03 00 01 10 07 07"], nil),
        // Features that are not available.
        Script(["01 03 01 01 10 07 07"], .outOfBandNotAvailable),
        Script(PairingSettings(minimumKeySize: 16), ["01 03 00 01 0f 07 07"], .encryptionKeySize),
        Script(
            PairingSettings(inputOutput: .display, requiresAuthentication: true), ["01 03 00 05 10 07 07"],
            .authenticationRequirements),
        Script(
            PairingSettings(secureConnections: .required), ["01 03 00 01 10 07 07"], .authenticationRequirements),
        // Codes that are unknown, or that a central does not send.
        Script(["0f"], .commandNotSupported), Script(["01 03 00 01 10 07 07", "0f 00"], .commandNotSupported),
        Script(["0b 01"], .commandNotSupported), Script(["05 08"], nil), Script(["0e 00"], nil),
        Script(["04 \(key)"], nil),
        // Out of order.
        Script(["01 03 00 01 10 07 07", "01 03 00 01 10 07 07"], .unspecified),
        Script(["01 03 00 01 10 07 07", "02 03 00 01 10 07 07"], .unspecified),
        Script(["01 03 00 01 10 07 07", "04 \(key)"], .unspecified),
        Script(["01 03 00 01 10 07 07", "06 \(key)"], .unspecified),
        Script(["01 03 00 01 10 07 07", "0d \(key)"], .unspecified),
        Script(["01 03 00 01 10 07 07", "03 \(key)", "03 \(key)"], .unspecified),
        Script(["01 03 00 09 10 07 07", "03 \(key)"], .unspecified),
        // A keypress notification does not end the pairing, not even one of an unknown type.
        Script(["01 03 00 01 10 07 07", "0e 00", "0e 77"], nil),
        // Values that do not match.
        Script(["01 03 00 01 10 07 07", "03 \(key)", "04 \(key)"], .confirmValueFailed),
        Script(["01 03 00 09 10 07 07", "0c \(zeros)\(zeros)"], .invalidParameters),
        Script(["01 03 00 09 10 07 07", "0c \(key)\(key)\(key)\(key)"], .invalidParameters),
    ]

    static let asCentral: [Script] = [
        // More keys than requested.
        Script(["02 03 00 01 10 04 01"], .invalidParameters), Script(["02 03 00 01 10 01 04"], .invalidParameters),
        Script(["02 05 00 01 10 01 01"], .invalidParameters), Script(["02 03 00 01 05 01 01"], .invalidParameters),
        Script(["02 03 01 01 10 01 01"], .outOfBandNotAvailable),
        Script(PairingSettings(minimumKeySize: 8), ["02 03 00 01 07 01 01"], .encryptionKeySize),
        Script(PairingSettings(secureConnections: .required), ["02 03 00 01 10 01 01"], .authenticationRequirements),
        Script(["01 03 00 01 10 07 07"], .unspecified), Script(["03 \(key)"], .unspecified),
        // The Security Request was sent before the Pairing Request arrived.
        Script(["0b 01"], nil), Script(["0b 01", "02 03 00 01 10 01 01"], nil),
        Script(["02 03 00 01 10 01 01", "04 \(key)"], .unspecified),
        Script(["02 03 00 01 10 01 01", "03 \(key)", "04 \(key)"], .confirmValueFailed),
        Script(["02 03 00 09 10 00 00", "0c \(zeros)\(zeros)"], .invalidParameters),
        Script(["02 03 00 09 10 00 00", "03 \(key)"], .unspecified), Script(["10"], .commandNotSupported),
        Script(["02 03 00"], .invalidParameters),
    ]

    private struct Unexpected: Error { let what: String }

    private func bench(
        _ role: ConnectionRole, _ settings: PairingSettings?, acceptance: PairingAcceptance = .always
    ) -> Bench {
        var controller = ScriptedController.extended
        controller.bufferCount = 64
        var bench = Bench.ready(controller)
        bench.perform {
            $0.setPairing(settings, acceptance: acceptance, for: role == .central ? nil : .number(0))
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 100), for: .number(0), address: .random(.random(1)))
            if role == .central { $0.connect(to: .peer, type: .random) }
        }
        if role == .central {
            bench.receive(Bench.connectionComplete(1, role: .central))
        } else {
            bench.connectCentral(1, set: .number(0))
        }
        bench.forget()
        return bench
    }

    /// The PDUs that the host has sent on the security manager's channel.
    private func sent(_ bench: Bench) -> [SecurityManagerPDU] {
        var reassembler = L2CAPReassembler()
        var pdus: [SecurityManagerPDU] = []
        for data in bench.controller.data {
            for case .frame(let frame) in reassembler.receive(data.payload, isStart: data.boundary != .continuing) {
                guard frame.channel == .securityManager, let pdu = try? SecurityManagerPDU(parsing: frame.payload)
                else {
                    continue
                }
                pdus.append(pdu)
            }
        }
        return pdus
    }

    private func check(_ script: Script, _ bench: Bench) {
        let reasons = sent(bench).compactMap { if case .pairingFailed(let reason) = $0 { reason } else { nil } }
        #expect(reasons == (script.reason.map { [$0] } ?? []))
        let failures = bench.events.compactMap { if case .pairingFailed(_, let failure) = $0 { failure } else { nil } }
        if let reason = script.reason {
            #expect(failures == [.failed(reason)] || failures.isEmpty)
        } else {
            #expect(failures.isEmpty)
        }
        // The host still pairs, or refuses during the waiting time.
        #expect(bench.host.currentConnections.count == 1)
    }

    @Test(arguments: asPeripheral) func peripheralSendsTheReason(_ script: Script) throws {
        var bench = bench(.peripheral, script.settings, acceptance: script.acceptance)
        for (index, digits) in script.received.enumerated() {
            if index == script.received.count - 1, index > 0 {
                #expect(!sent(bench).contains { if case .pairingFailed = $0 { true } else { false } })
            }
            bench.receive(try Hexadecimal.bytes(digits), on: .securityManager, of: 1)
        }
        check(script, bench)
    }

    @Test(arguments: asCentral) func centralSendsTheReason(_ script: Script) throws {
        var bench = bench(.central, script.settings, acceptance: script.acceptance)
        let link = try #require(bench.host.currentConnections.first)
        bench.perform { $0.pair(link.id) }
        for digits in script.received { bench.receive(try Hexadecimal.bytes(digits), on: .securityManager, of: 1) }
        check(script, bench)
    }

    @Test func reflectedPublicKeyIsRefused() throws {
        var bench = bench(.central, PairingSettings())
        let link = try #require(bench.host.currentConnections.first)
        bench.perform { $0.pair(link.id) }
        bench.receive(try Hexadecimal.bytes("02 03 00 09 10 00 00"), on: .securityManager, of: 1)
        let own = try #require(sent(bench).last)
        guard case .pairingPublicKey = own else { throw Unexpected(what: "no public key: \(own)") }
        bench.receive(own.serialized(), on: .securityManager, of: 1)
        #expect(sent(bench).last == .pairingFailed(.unspecified))
    }

    @Test func earlyAttemptIsRefused() throws {
        var bench = bench(.peripheral, PairingSettings())
        let attempt = ["01 03 00 01 10 07 07", "03 \(Self.key)", "04 \(Self.key)"]
        for digits in attempt { bench.receive(try Hexadecimal.bytes(digits), on: .securityManager, of: 1) }
        #expect(sent(bench).last == .pairingFailed(.confirmValueFailed))
        bench.receive(try Hexadecimal.bytes(attempt[0]), on: .securityManager, of: 1)
        #expect(sent(bench).last == .pairingFailed(.repeatedAttempts))
        // Another connection does not shorten the waiting time.
        bench.endConnection(1)
        bench.connectCentral(2, set: .number(0))
        bench.forget()
        bench.receive(try Hexadecimal.bytes(attempt[0]), on: .securityManager, of: 2)
        #expect(sent(bench) == [.pairingFailed(.repeatedAttempts)])
        bench.advance(to: .seconds(2))
        bench.receive(try Hexadecimal.bytes(attempt[0]), on: .securityManager, of: 2)
        guard case .pairingResponse = sent(bench).last else { throw Unexpected(what: "there is no response") }
    }

    @Test func failedCentralMustWait() throws {
        var bench = bench(.central, PairingSettings())
        let link = try #require(bench.host.currentConnections.first)
        bench.perform { $0.pair(link.id) }
        for digits in ["02 03 00 01 10 01 01", "03 \(Self.key)", "04 \(Self.key)", "0b 01"] {
            bench.receive(try Hexadecimal.bytes(digits), on: .securityManager, of: 1)
        }
        #expect(sent(bench).suffix(2) == [.pairingFailed(.confirmValueFailed), .pairingFailed(.repeatedAttempts)])
    }

    @Test func keypressesExtendTheTimeout() throws {
        var bench = bench(.peripheral, PairingSettings(inputOutput: .display, requiresAuthentication: true))
        bench.receive(try Hexadecimal.bytes("01 02 00 05 10 01 01"), on: .securityManager, of: 1)
        bench.advance(to: .seconds(29))
        bench.receive([0x0E, 0x01], on: .securityManager, of: 1)
        bench.advance(to: .seconds(58))
        #expect(!bench.events.contains { if case .pairingFailed = $0 { true } else { false } })
        bench.advance(to: .seconds(60))
        let link = try #require(bench.host.currentConnections.first)
        #expect(bench.events.last == .pairingFailed(link.id, .timedOut))
        // Nothing more is sent on this channel.
        bench.forget()
        bench.receive(try Hexadecimal.bytes("01 02 00 05 10 01 01"), on: .securityManager, of: 1)
        bench.advance(to: .seconds(200))
        #expect(bench.events.isEmpty && bench.controller.data.isEmpty)
    }

    @Test func securityRequestStartsAPairing() throws {
        var bench = bench(.central, PairingSettings())
        bench.receive([0x0B, 0x01], on: .securityManager, of: 1)
        guard case .pairingRequest = sent(bench).last else { throw Unexpected(what: "there is no request") }
        bench.receive([0x0B, 0x01], on: .securityManager, of: 1)
        #expect(sent(bench).count == 1)
    }

    @Test func longTermKeyIsFoundByItsName() throws {
        var bench = bench(.peripheral, PairingSettings())
        bench.endConnection(1)
        let name = KeyName(encryptedDiversifier: 7, randomNumber: 8)
        let bond = Bond(
            peer: PeerAddress(.peer, type: .random), peripheralKey: Bond.Key(Octets(padding: 1...16), name: name))
        bench.perform { $0.setBonds([bond], for: .number(0)) }
        bench.connectCentral(2, set: .number(0))
        #expect(bench.connected.last?.identity == bond.peer)
        for (diversifier, random) in [(UInt16(7), UInt64(9)), (0, 0), (8, 8)] {
            bench.forget()
            bench.receive(
                LELongTermKeyRequest(
                    connectionHandle: ConnectionHandle(2), randomNumber: random, encryptedDiversifier: diversifier))
            #expect(bench.opcodes == [LELongTermKeyRequestNegativeReply.opcode])
        }
        bench.forget()
        bench.receive(
            LELongTermKeyRequest(connectionHandle: ConnectionHandle(2), randomNumber: 8, encryptedDiversifier: 7))
        #expect(bench.commands(LELongTermKeyRequestReply.self).first?.longTermKey == Octets(padding: 1...16))
        bench.receive(EncryptionChange(connectionHandle: ConnectionHandle(2), encryptionEnabled: 1))
        #expect(bench.host.currentConnections.first?.security == LinkSecurity(isEncrypted: true, hasKey: true))
        // A peer whose address no key resolves is identified by the name of its key.
        bench.receive(Bench.connectionComplete(3, role: .peripheral, peer: .random(77)))
        bench.receive(Bench.terminated(.number(0), 3))
        #expect(bench.connected.last?.identity == nil)
        bench.receive(
            LELongTermKeyRequest(connectionHandle: ConnectionHandle(3), randomNumber: 8, encryptedDiversifier: 7))
        #expect(bench.commands(LELongTermKeyRequestReply.self).count == 2)
        #expect(bench.host.currentConnections.last?.identity == bond.peer)
        bench.endConnection(3)
        bench.receive(EncryptionChange(connectionHandle: ConnectionHandle(2), encryptionEnabled: 0))
        #expect(bench.host.currentConnections.first?.security == LinkSecurity(hasKey: true))
    }
}
