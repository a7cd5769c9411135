// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@testable import ESPHomeProxy

/// The client's side of a connection. The transcript of the handshake is that of `MessageChannelTests`.
@Suite struct ClientChannelTests {
    private static let key = EncryptionKey(base64: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    private static let otherKey = EncryptionKey(base64: "AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    private static let ephemeral = [UInt8](repeating: 0x11, count: 32)
    private static let opening =
        "010000"
        + "010031007b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13d1bc1a38b6793685dc7e2ffdf8ea0933"
    private static let greeting = "01001601" + "6b69746368656e00" + "30366265616330313032303300"
    private static let handshake =
        "010031000faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f207336b95933b321b1ae86673f689f5c9f"
    private static let pongs =
        "010014d9423bf48bdea62bb10bbd87a7fb5ecc26721050" + "010014471927a13be9261b3ac147b6600a85b167b42d8e"
    private static let messages =
        "01001e082c88de4753c13a4be38a84587e2f55df23686556cede6e7e13c78074e9"
        + "010014431e3a2be0271e101ee745e7fe892b0d3c3923a5"

    private static func inputs(_ channel: inout ClientChannel) -> [ClientChannel.Input] {
        var inputs: [ClientChannel.Input] = []
        while let input = channel.next() { inputs.append(input) }
        return inputs
    }

    /// What follows from bytes of a proxy.
    private static func inputs(of bytes: String, key: EncryptionKey?) throws -> [ClientChannel.Input] {
        var channel = ClientChannel(key: key, ephemeral: ephemeral)
        channel.append(try Hexadecimal.bytes(bytes))
        return inputs(&channel)
    }

    @Test func handshakeIsThatOfAnotherImplementation() throws {
        var channel = ClientChannel(key: Self.key, ephemeral: Self.ephemeral)
        #expect(Hexadecimal.string(channel.opening).lowercased() == Self.opening)
        let early = channel.frame(type: 1, body: [])
        #expect(early == nil && channel.next() == nil)
        channel.append(try Hexadecimal.bytes(Self.greeting + Self.handshake + Self.pongs))
        #expect(Self.inputs(&channel) == [.ready, .message(type: 8, body: []), .message(type: 8, body: [])])
        let frames = [
            channel.frame(type: 1, body: [10, 4] + Array("test".utf8) + [16, 1, 24, 10]),
            channel.frame(type: 7, body: []),
        ]
        #expect(Hexadecimal.string(frames.flatMap { $0 ?? [] }).lowercased() == Self.messages)
    }

    @Test func bytesMayArriveOneByOne() throws {
        var channel = ClientChannel(key: Self.key, ephemeral: Self.ephemeral)
        var inputs: [ClientChannel.Input] = []
        for byte in try Hexadecimal.bytes(Self.greeting + Self.handshake + Self.pongs) {
            channel.append([byte])
            inputs += Self.inputs(&channel)
        }
        #expect(inputs == [.ready, .message(type: 8, body: []), .message(type: 8, body: [])])
        #expect(channel.bufferedCount == 0)
    }

    @Test func plaintextIsReadyAtOnce() throws {
        var channel = ClientChannel(key: nil)
        #expect(channel.opening.isEmpty && channel.next() == .ready && channel.next() == nil)
        channel.append([0, 0, 7, 0, 2, 93, 10, 0])
        #expect(Self.inputs(&channel) == [.message(type: 7, body: []), .message(type: 93, body: [10, 0])])
        let frame = channel.frame(type: 66, body: [8, 1])
        #expect(frame == [0, 2, 66, 8, 1])
    }

    /// Greetings of earlier versions have no address, or nothing but the protocol.
    @Test(arguments: ["01000101", "010009" + "01" + "6b69746368656e00", greeting])
    func greetingsMayBeShort(_ greeting: String) throws {
        let inputs = try Self.inputs(of: greeting + Self.handshake, key: Self.key)
        #expect(inputs == [.ready])
    }

    private static func refusal(_ text: String) -> String {
        let bytes = [1] + Array(text.utf8)
        return "0100" + Hexadecimal.string([UInt8(bytes.count)] + bytes)
    }

    private static let faults: [(bytes: String, key: EncryptionKey?, fault: ClientChannel.Fault)] = [
        (refusal("Bad indicator byte"), nil, .keyRequired),
        (greeting, nil, .keyRequired),
        ("00" + "42616420696e64696361746f722062797465", key, .noKey),
        (greeting + refusal("Handshake MAC failure"), key, .otherKey),
        // The reply of a proxy that ignores the key.
        (greeting + handshake, otherKey, .otherKey),
        (greeting + "010031000faa684e" + String(repeating: "00", count: 44), key, .otherKey),
        // A point of low order.
        (greeting + "01003100" + String(repeating: "00", count: 48), key, .otherKey),
        (greeting + "01000100", key, .otherKey),
        (greeting + refusal("Handshake error"), key, .refusedHandshake("Handshake error")),
        (refusal("Bad handshake packet len"), key, .refusedHandshake("Bad handshake packet len")),
        (greeting + "010000", key, .refusedHandshake("")),
        ("010000", key, .malformed("it chose a protocol that is not known")),
        ("01000102", key, .malformed("it chose a protocol that is not known")),
        (greeting + handshake + "010003000000", key, .malformed("its frame cannot be decrypted")),
        ("485454502f312e31", nil, .malformed("it does not send frames of ESPHome's API")),
        ("5353482d322e30", key, .malformed("it does not send frames of ESPHome's API")),
        ("00ffff0407", nil, .malformed("its frame of 81919 bytes is too long")),
    ]

    @Test(arguments: faults.indices)
    func faultsOfTheProxyEndTheConnection(_ index: Int) throws {
        let (bytes, key, fault) = Self.faults[index]
        var channel = ClientChannel(key: key, ephemeral: Self.ephemeral)
        channel.append(try Hexadecimal.bytes(bytes))
        #expect(Self.inputs(&channel).last == .end(fault))
        channel.append([0, 0, 7])
        let frame = channel.frame(type: 7, body: [])
        #expect(channel.next() == nil && channel.bufferedCount == 0 && frame == nil)
    }

    @Test func damagedHandshakeIsNeverReady() throws {
        let bytes = try Hexadecimal.bytes(Self.handshake)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            let inputs = try Self.inputs(of: Self.greeting + Hexadecimal.string(damaged), key: Self.key)
            #expect(!inputs.contains(.ready), "\(index)")
        }
    }

    /// A proxy of random bytes costs no more memory than one frame.
    @Test func randomBytesAreBounded() throws {
        var generator = SplitMix64(seed: 11)
        for key in [nil, Self.key] {
            for start in ["", Self.greeting + Self.handshake] {
                for _ in 0..<100 {
                    var channel = ClientChannel(key: key, ephemeral: Self.ephemeral)
                    channel.append(try Hexadecimal.bytes(start))
                    for _ in 0..<20 {
                        channel.append(generator.bytes(500))
                        _ = Self.inputs(&channel)
                        #expect(channel.bufferedCount <= MessageChannel.longestBody + 16)
                    }
                }
            }
        }
    }
}
