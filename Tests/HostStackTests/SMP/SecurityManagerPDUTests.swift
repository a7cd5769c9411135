// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

@Suite struct SecurityManagerPDUTests {
    private static let key = Octets<16>(padding: 1...16)
    private static let keyDigits = "0102030405060708090a0b0c0d0e0f10"

    /// Each PDU with its bytes.
    static let all: [(String, SecurityManagerPDU)] = [
        (
            "01 03 00 01 10 07 07",
            .pairingRequest(
                PairingFeatures(
                    inputOutput: .noInputNoOutput, requirements: .bonding,
                    initiatorKeys: [.encryption, .identity, .signing],
                    responderKeys: [.encryption, .identity, .signing]))
        ),
        (
            "02 04 01 2d 07 0f 00",
            .pairingResponse(
                PairingFeatures(
                    inputOutput: .keyboardDisplay, outOfBandData: 1,
                    requirements: [.bonding, .protection, .secureConnections, .crossTransportFunction],
                    maximumKeySize: 7, initiatorKeys: [.encryption, .identity, .signing, .link], responderKeys: []))
        ),
        ("03 \(keyDigits)", .pairingConfirm(key)), ("04 \(keyDigits)", .pairingRandom(key)),
        ("05 04", .pairingFailed(.confirmValueFailed)), ("05 77", .pairingFailed(.init(rawValue: 0x77))),
        ("06 \(keyDigits)", .encryptionInformation(key)),
        (
            "07 3412 0807060504030201",
            .centralIdentification(KeyName(encryptedDiversifier: 0x1234, randomNumber: 0x0102_0304_0506_0708))
        ),
        ("08 \(keyDigits)", .identityInformation(key)),
        ("09 01 0100000000c0", .identityAddressInformation(PeerAddress(.random(1), type: .random))),
        ("0a \(keyDigits)", .signingInformation(key)),
        ("0b 0d", .securityRequest([.bonding, .protection, .secureConnections])),
        (
            "0c \(keyDigits)\(keyDigits) 0000000000000000000000000000000000000000000000000000000000000000",
            .pairingPublicKey(PairingPublicKey(x: Octets(padding: key.bytes + key.bytes), y: .zero))
        ),
        ("0d \(keyDigits)", .pairingKeyCheck(key)), ("0e 04", .keypressNotification(.completed)),
        ("0f", .unknown(0x0F, [])), ("00 0102", .unknown(0, [1, 2])),
    ]

    @Test func isParsedAndSerialized() throws {
        #expect(Set(Self.all.map(\.1.code)).count == 16)
        for (digits, value) in Self.all {
            let bytes = try Hexadecimal.bytes(digits)
            #expect(try checkWire(SecurityManagerPDU.self, bytes: bytes) == value)
            #expect(value.serialized() == bytes)
        }
    }

    @Test func wrongLengthsAreRefused() throws {
        for (digits, value) in Self.all {
            if case .unknown = value { continue }
            let bytes = try Hexadecimal.bytes(digits)
            for count in 0..<bytes.count {
                #expect(throws: WireError.self) { try SecurityManagerPDU(parsing: Array(bytes[..<count])) }
            }
            #expect(throws: WireError(.trailingBytes(1), offset: bytes.count)) {
                try SecurityManagerPDU(parsing: bytes + [0])
            }
        }
    }

    @Test func randomBytesDoNotTrap() throws {
        try fuzzWire(SecurityManagerPDU.self, samples: try Self.all.map { try Hexadecimal.bytes($0.0) })
    }

    @Test func everyReasonHasADescription() {
        let clauses = (1...0x0F).map { PairingFailedReason(rawValue: $0).description }
        #expect(Set(clauses).count == 15)
        #expect(PairingFailedReason.confirmValueFailed.description.hasSuffix("(0x04)"))
    }
}
