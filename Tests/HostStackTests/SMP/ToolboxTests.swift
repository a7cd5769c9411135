// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@testable import HostStack

/// The sample data of the specification: Core 5.4, Vol 3, Part H, 2.2 and Appendix D, and Vol 2, Part G, 7.1.2.
@Suite struct ToolboxTests {
    private static let u = "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6"
    private static let v = "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"
    private static let x = "d5cb8454d177733effffb2ec712baeab"
    private static let y = "a6e8e7cc25a75f6e216583f7ff3dc4cf"
    private static let secret = "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
    private static let key = "ec0234a357c8ad05341010a60a397d9b"

    private let initiator = PeerAddress(BluetoothAddress("56:12:37:37:BF:CE") ?? .zero, type: .public)
    private let responder = PeerAddress(BluetoothAddress("A7:13:70:2D:CF:C1") ?? .zero, type: .public)

    /// A value as the specification writes numbers: most significant byte first.
    private func number<let count: Int>(_ digits: String) throws -> Octets<count> {
        try #require(Octets(try Hexadecimal.bytes(digits).reversed()))
    }

    private func digits<let count: Int>(_ octets: Octets<count>) -> String {
        Hexadecimal.string(octets.bytes.reversed())
    }

    @Test func functionEIsAES() throws {
        let block = try Hexadecimal.bytes("6bc1bee22e409f96e93d7e117393172a")
        let key = try Hexadecimal.bytes("2b7e151628aed2a6abf7158809cf4f3c")
        #expect(Hexadecimal.string(SecurityCipher.block(block, key: key)) == "3ad77bb40d7a3660a89ecaf32466ef97")
    }

    @Test(arguments: [
        ("", "bb1d6929e95937287fa37d129b756746"),
        ("6bc1bee22e409f96e93d7e117393172a", "070a16b46b4d4144f79bdd9dd04a287c"),
        (
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411",
            "dfa66747de9ae63030ca32611497c827"
        ),
    ])
    func authenticationCodesAreAESCMAC(_ message: String, _ code: String) throws {
        let key = try Hexadecimal.bytes("2b7e151628aed2a6abf7158809cf4f3c")
        let result = SecurityCipher.authenticationCode(of: try Hexadecimal.bytes(message), key: key)
        #expect(Hexadecimal.string(result) == code)
    }

    @Test func c1() throws {
        let initiator = PeerAddress(BluetoothAddress("A1:A2:A3:A4:A5:A6") ?? .zero, type: .random)
        let responder = PeerAddress(BluetoothAddress("B1:B2:B3:B4:B5:B6") ?? .zero, type: .public)
        let value = LegacyPairingFunctions.confirmValue(
            key: .zero, random: try number("5783d52156ad6f0e6388274ec6702ee0"),
            request: try Hexadecimal.bytes("07071000000101").reversed(),
            response: try Hexadecimal.bytes("05000800000302").reversed(), initiator: initiator, responder: responder)
        #expect(digits(value) == "1e1e3fef878988ead2a74dc5bef13b86")
    }

    @Test func s1() throws {
        let key = LegacyPairingFunctions.shortTermKey(
            key: .zero, responder: try number("000f0e0d0c0b0a091122334455667788"),
            initiator: try number("010203040506070899aabbccddeeff00"))
        #expect(digits(key) == "9a1fe1f0e8b0f49b5b4216ae796da062")
    }

    @Test func f4() throws {
        let value = SecureConnectionsFunctions.confirmValue(
            own: try number(Self.u), peer: try number(Self.v), random: try number(Self.x), input: 0)
        #expect(digits(value) == "f2c916f107a9bd1cf1eda1bea974872d")
    }

    @Test func f5() throws {
        let keys = SecureConnectionsFunctions.keys(
            secret: try number(Self.secret),
            initiator: PairingNonce(random: try number(Self.x), address: initiator),
            responder: PairingNonce(random: try number(Self.y), address: responder))
        #expect(digits(keys.check) == "2965f176a1084a02fd3f6a20ce636e20")
        #expect(digits(keys.longTerm) == "6986791169d7cd23980522b594750a38")
    }

    @Test func f6() throws {
        // The function takes a passkey as its third value. The sample's value is longer, so the message is built here.
        let message =
            Self.x + Self.y + "12a3343bb453bb5408da42d20c2d0fc8" + "010102" + "00561237 37bfce" + "00a71370 2dcfc1"
        let code = SecurityCipher.authenticationCode(
            of: try Hexadecimal.bytes(message), key: try Hexadecimal.bytes("2965f176a1084a02fd3f6a20ce636e20"))
        #expect(Hexadecimal.string(code) == "e3c473989cd0e8c5d26c0b09da958f61")

        let passkey = SecureConnectionsFunctions.checkValue(
            key: try number("2965f176a1084a02fd3f6a20ce636e20"),
            own: PairingNonce(random: try number(Self.x), address: initiator),
            peer: PairingNonce(random: try number(Self.y), address: responder), passkey: 0x0F_423F,
            features: [0x02, 0x01, 0x01])
        let own =
            Self.x + Self.y + "000000000000000000000000000f423f" + "010102" + "00561237 37bfce" + "00a71370 2dcfc1"
        let expected = SecurityCipher.authenticationCode(
            of: try Hexadecimal.bytes(own), key: try Hexadecimal.bytes("2965f176a1084a02fd3f6a20ce636e20"))
        #expect(digits(passkey) == Hexadecimal.string(expected))
    }

    @Test func g2() throws {
        let code = SecureConnectionsFunctions.comparisonCode(
            initiator: try number(Self.u), responder: try number(Self.v), initiatorRandom: try number(Self.x),
            responderRandom: try number(Self.y))
        #expect(code == 0x2F9E_D5BA)
        let shown = SecureConnectionsFunctions.comparisonValue(
            initiator: try number(Self.u), responder: try number(Self.v), initiatorRandom: try number(Self.x),
            responderRandom: try number(Self.y))
        #expect(shown == 0x2F9E_D5BA % 1_000_000)
    }

    @Test func h6() throws {
        let key = SecureConnectionsFunctions.derivedKey(from: try number(Self.key), name: "lebr")
        #expect(digits(key) == "2d9ae102e76dc91ce8d3a9e280b16399")
    }

    @Test func h7() throws {
        let key = SecureConnectionsFunctions.derivedKey(
            from: try number(Self.key), salt: try number("000000000000000000000000746d7031"))
        #expect(digits(key) == "fb173597c6a3c0ecd2998c2a75a57011")
    }

    @Test func ah() throws {
        let part = try Hexadecimal.bytes("708194")
        #expect(Hexadecimal.string(BluetoothAddress.hash(of: part[...], key: try number(Self.key))) == "0dfbaa")
        let address = try #require(BluetoothAddress("70:81:94:0D:FB:AA"))
        #expect(address.isResolved(by: try number(Self.key)))
        #expect(!address.isResolved(by: .zero))
    }

    /// Private key, public key and shared secret of the two sides (Vol 2, Part G, 7.1.2.1).
    @Test func sharedSecretMatchesTheSample() throws {
        let a = try #require(
            PairingKeyPair(
                secret: try Hexadecimal.bytes("3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd")))
        let b = try #require(PairingKeyPair(secret: try Hexadecimal.bytes(Self.v)))
        #expect(digits(a.publicKey.x) == Self.u)
        #expect(digits(a.publicKey.y) == "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b")
        #expect(digits(b.publicKey.x) == "1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190")
        #expect(digits(b.publicKey.y) == "4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a")
        #expect(a.sharedSecret(with: b.publicKey).map(digits) == Self.secret)
        #expect(b.sharedSecret(with: a.publicKey).map(digits) == Self.secret)
        let nowhere = PairingPublicKey(x: a.publicKey.x, y: b.publicKey.y)
        #expect(b.sharedSecret(with: nowhere) == nil)
        #expect(b.sharedSecret(with: PairingPublicKey(x: .zero, y: .zero)) == nil)
        #expect(PairingKeyPair(secret: [UInt8](repeating: 0, count: 32)) == nil)
    }

    @Test func privateAddressesAreResolvedByTheirOwnKeyOnly() throws {
        var random = RandomSource(SplitMix64(seed: 7))
        for _ in 0..<200 {
            let key = Octets<16>(padding: random.bytes(16))
            let address = BluetoothAddress.resolvablePrivate(key: key, random: &random)
            #expect(address.isResolvablePrivate && !address.isStaticRandom)
            #expect(address.isResolved(by: key))
            #expect(!address.isResolved(by: Octets<16>(padding: random.bytes(16))))
        }
    }

    @Test func keysLoseTheirMostSignificantBytes() {
        let key = Octets<16>(padding: 1...16)
        #expect(key.shortened(to: 16) == key)
        #expect(key.shortened(to: 7).bytes == [1, 2, 3, 4, 5, 6, 7] + [UInt8](repeating: 0, count: 9))
    }
}
