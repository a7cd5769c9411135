// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@testable import ESPHomeProxy

/// Frames in plaintext and with Noise. The transcript of the handshake is that of noiseprotocol 0.3.1 with the ephemeral
/// keys 11…11 of the client and 22…22 of the proxy, and the key 00 01 … 1F.
@Suite struct MessageChannelTests {
    private static let key = EncryptionKey(base64: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    private static let otherKey = EncryptionKey(base64: "AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    private static let ephemeral = [UInt8](repeating: 0x22, count: 32)
    private static let clientHello = "010000"
    private static let clientHandshake =
        "010031007b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13d1bc1a38b6793685dc7e2ffdf8ea0933"
    private static let clientMessages =
        "01001e082c88de4753c13a4be38a84587e2f55df23686556cede6e7e13c78074e9"
        + "010014431e3a2be0271e101ee745e7fe892b0d3c3923a5"
    private static let greeting = "01001601" + "6b69746368656e00" + "30366265616330313032303300"
    private static let serverHandshake =
        "010031000faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f207336b95933b321b1ae86673f689f5c9f"
    private static let pongs =
        "010014d9423bf48bdea62bb10bbd87a7fb5ecc26721050" + "010014471927a13be9261b3ac147b6600a85b167b42d8e"
    private static let hello = MessageChannel.Input.message(
        type: 1, body: [10, 4] + Array("test".utf8) + [16, 1, 24, 10])

    private static func channel(_ key: EncryptionKey?) throws -> MessageChannel {
        MessageChannel(
            key: key, name: "kitchen", address: try #require(BluetoothAddress("06:BE:AC:01:02:03")),
            ephemeral: ephemeral)
    }

    private static func inputs(_ channel: inout MessageChannel) -> [MessageChannel.Input] {
        var inputs: [MessageChannel.Input] = []
        while let input = channel.next() { inputs.append(input) }
        return inputs
    }

    private static func send(_ hexadecimal: String) throws -> MessageChannel.Input {
        .send(try Hexadecimal.bytes(hexadecimal))
    }

    @Test func handshakeIsThatOfAnotherImplementation() throws {
        var channel = try Self.channel(Self.key)
        channel.append(try Hexadecimal.bytes(Self.clientHello + Self.clientHandshake))
        #expect(channel.frame(type: 8, body: []) == nil)
        #expect(Self.inputs(&channel) == [try Self.send(Self.greeting), try Self.send(Self.serverHandshake)])
        channel.append(try Hexadecimal.bytes(Self.clientMessages))
        #expect(Self.inputs(&channel) == [Self.hello, .message(type: 7, body: [])])
        let answers = [channel.frame(type: 8, body: []), channel.frame(type: 8, body: [])]
        #expect(try answers.flatMap { $0 ?? [] } == Hexadecimal.bytes(Self.pongs))
    }

    @Test func bytesMayArriveOneByOne() throws {
        var channel = try Self.channel(Self.key)
        var inputs: [MessageChannel.Input] = []
        for byte in try Hexadecimal.bytes(Self.clientHello + Self.clientHandshake + Self.clientMessages) {
            channel.append([byte])
            inputs += Self.inputs(&channel)
        }
        #expect(inputs.count == 4)
        #expect(inputs.last == .message(type: 7, body: []))
        #expect(channel.bufferedCount == 0)
        var plaintext = try Self.channel(nil)
        inputs = []
        for byte in [0, 2, 66, 8, 1, 0, 0, 7] as [UInt8] {
            plaintext.append([byte])
            inputs += Self.inputs(&plaintext)
        }
        #expect(inputs == [.message(type: 66, body: [8, 1]), .message(type: 7, body: [])])
    }

    @Test func wrongKeyIsRefusedByTheTextThatClientsExpect() throws {
        var channel = try Self.channel(Self.otherKey)
        channel.append(try Hexadecimal.bytes(Self.clientHello + Self.clientHandshake + Self.clientMessages))
        let text = [0x01] + Array("Handshake MAC failure".utf8)
        #expect(
            Self.inputs(&channel) == [
                try Self.send(Self.greeting), .send([1, 0, UInt8(text.count)] + text),
                .end("it has another key (--esphome-key)"),
            ])
        channel.append([1, 0, 0])
        #expect(channel.next() == nil)
    }

    @Test func plaintextIsRefusedWithAKey() throws {
        var channel = try Self.channel(Self.key)
        channel.append([0, 0, 7])
        let text = [0x01] + Array("Bad indicator byte".utf8)
        #expect(
            Self.inputs(&channel) == [
                .send([1, 0, UInt8(text.count)] + text), .end("it uses no key, and this proxy has one (--esphome-key)"),
            ])
    }

    @Test func encryptionIsRefusedWithoutAKey() throws {
        var channel = try Self.channel(nil)
        channel.append(try Hexadecimal.bytes(Self.clientHello + Self.clientHandshake))
        #expect(
            Self.inputs(&channel) == [
                .send([0] + Array("Bad indicator byte".utf8)),
                .end("it uses a key, and this proxy has none (--esphome-key)"),
            ])
    }

    @Test(arguments: [
        "474554202f",  // GET /
        "0080808004",  // a length of 2^23 bytes, of which the end is missing
        "00808080800107",  // a length of five bytes
        "0000808008",  // the type 2^17
        "00ffff0407",  // a length of 81,919 bytes
    ])
    func malformedFramesEndTheConnection(_ bytes: String) throws {
        var channel = try Self.channel(nil)
        channel.append(try Hexadecimal.bytes(bytes) + [0, 0, 0])
        guard case .end? = channel.next() else {
            Issue.record("the connection goes on")
            return
        }
        #expect(channel.next() == nil)
        #expect(channel.frame(type: 7, body: []) == nil)
    }

    @Test(arguments: [
        clientHello + "01000101",  // a handshake with an error
        clientHello + "010000",  // an empty one
        clientHello + "01000400aabbcc",  // a short one
        "01ffff",  // a hello of 65,535 bytes
    ])
    func malformedHandshakesEndTheConnection(_ bytes: String) throws {
        var channel = try Self.channel(Self.key)
        channel.append(try Hexadecimal.bytes(bytes))
        guard case .end? = Self.inputs(&channel).last else {
            Issue.record("the connection goes on")
            return
        }
    }

    @Test func damagedMessageEndsTheConnection() throws {
        let bytes = try Hexadecimal.bytes(Self.clientHello + Self.clientHandshake + Self.clientMessages)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            var channel = try Self.channel(Self.key)
            channel.append(damaged)
            let messages = Self.inputs(&channel).filter { if case .message = $0 { true } else { false } }
            // The hello of the client is part of the handshake, and so is each byte before a message part of its key.
            #expect(messages.count < 2)
        }
    }

    @Test func longestMessageFits() throws {
        var channel = try Self.channel(nil)
        let body = [UInt8](repeating: 1, count: MessageChannel.longestBody)
        let frame = channel.frame(type: 74, body: body)
        channel.append(try #require(frame))
        #expect(channel.next() == .message(type: 74, body: body))
        let longer = channel.frame(type: 74, body: body + [1])
        #expect(longer == nil)
    }

    /// A peer of random bytes costs no more memory than one frame.
    @Test func randomBytesAreBounded() throws {
        var generator = SplitMix64(seed: 7)
        for key in [nil, Self.key] {
            for _ in 0..<200 {
                var channel = try Self.channel(key)
                for _ in 0..<20 {
                    channel.append(generator.bytes(500))
                    _ = Self.inputs(&channel)
                    #expect(channel.bufferedCount <= MessageChannel.longestBody + 16)
                }
            }
        }
    }

    @Test(arguments: [
        ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", true), ("AAEC", false), ("", false),
        ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", false), ("not base64 at all, but 44 characters long!!!", false),
    ])
    func keyHasThirtyTwoBytes(_ text: String, _ isKey: Bool) {
        #expect((EncryptionKey(base64: text) != nil) == isKey)
    }
}
