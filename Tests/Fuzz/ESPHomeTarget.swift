// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import ESPHomeProxy
import TestSupport

extension FuzzTarget {
    /// Bytes of clients of ESPHome proxies, in plaintext and encrypted: messages, or the end of the connection.
    static let esphome = FuzzTarget(name: "esphome", divisor: 10) { generator in
        let key: UInt8 = Bool.random(using: &generator) ? 1 : 0
        return switch Int.random(in: 0...9, using: &generator) {
        case 0: [key] + Mutation.noise(128, &generator)
        case 1, 2: [1] + Mutation.damaged(encrypted, &generator)
        default: [0] + Mutation.damaged(plaintext, &generator)
        }
    } parse: { bytes in
        var channel = MessageChannel(
            key: bytes.first == 1 ? key : nil, name: "kitchen", address: .zero,
            ephemeral: [UInt8](repeating: 0x22, count: 32))
        var outcome = Outcome.parsed
        // In two parts, so that frames are cut.
        let input = bytes.dropFirst()
        let middle = input.startIndex + input.count / 2
        for part in [input[..<middle], input[middle...]] {
            channel.append(part)
            while let next = channel.next() {
                switch next {
                case .send(let answer):
                    guard !answer.isEmpty else { FuzzReport.fail("an answer is empty") }
                case .end(let reason):
                    guard !reason.isEmpty, channel.next() == nil else { FuzzReport.fail("an end has no reason") }
                    outcome = .refused
                case .message(let type, let body):
                    do throws(WireError) {
                        let message = try ClientMessage(type: type, body: body)
                        let again = try ClientMessage(type: message.type, body: message.body)
                        guard again == message else { FuzzReport.fail("a message is not read as it was written") }
                    } catch {
                        outcome = .refused
                    }
                    if let frame = channel.frame(type: type, body: body), frame.count < body.count {
                        FuzzReport.fail("a frame is shorter than its message")
                    }
                }
            }
        }
        return outcome
    }

    /// Bytes of ESPHome proxies, in plaintext and encrypted, for a client.
    static let esphomeClient = FuzzTarget(name: "esphome-client", divisor: 10) { generator in
        let key: UInt8 = Bool.random(using: &generator) ? 1 : 0
        return switch Int.random(in: 0...9, using: &generator) {
        case 0: [key] + Mutation.noise(128, &generator)
        case 1, 2: [1] + Mutation.damaged(encryptedAnswers, &generator)
        default: [0] + Mutation.damaged(answers, &generator)
        }
    } parse: { bytes in
        var channel = ClientChannel(
            key: bytes.first == 1 ? key : nil, ephemeral: [UInt8](repeating: 0x11, count: 32))
        var outcome = Outcome.parsed
        let input = bytes.dropFirst()
        let middle = input.startIndex + input.count / 2
        for part in [input[..<middle], input[middle...]] {
            channel.append(part)
            while let next = channel.next() {
                switch next {
                case .ready: break
                case .end:
                    guard channel.next() == nil else { FuzzReport.fail("an end is not the end") }
                    outcome = .refused
                case .message(let type, let body):
                    do throws(WireError) {
                        let message = try ServerMessage(type: type, body: body)
                        let again = try ServerMessage(type: message.type, body: message.body)
                        guard again == message else { FuzzReport.fail("a message is not read as it was written") }
                    } catch {
                        outcome = .refused
                    }
                }
            }
        }
        return outcome
    }

    private static let key = EncryptionKey(base64: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")

    /// Made with aioesphomeapi 46.23.0, as in MessageTests.
    private static let plaintext = samples([
        "0013010a0d61696f657370686f6d656170691001180a000003", "000e4408818080f0fe9f301005180120010002420801",
        "00114b08818080f0fe9f30101218012203010203000e4d08818080f0fe9f3010131a020100",
        "000c4e08818080f0fe9f3010121801000f910108818080f0fe9f301006180c289003",
        "00027f0801000b4908818080f0fe9f3010ac02",
    ])

    /// Made with noiseprotocol 0.3.1, as in MessageChannelTests.
    private static let encrypted = samples([
        "010000010031007b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0"
            + "f73f13d1bc1a38b6793685dc7e2ffdf8ea0933"
            + "01001e082c88de4753c13a4be38a84587e2f55df23686556cede6e7e13c78074e9"
            + "010014431e3a2be0271e101ee745e7fe892b0d3c3923a5"
    ])

    /// The messages that a client reads, as in MessageTests.
    private static let answers = samples([
        "0017020801100c1a08426561636f6e727922076b69746368656e000004",
        "007f0a12076b69746368656e1a1130363a42453a41433a30313a30323a30332209323032352e31322e30320f426c7565746f6f74"
            + "682070726f78794218626561636f6e72792e626c7565746f6f74682d70726f78796208426561636f6e72796a074b697463"
            + "68656e78ff0192011130363a42453a41433a30313a30323a3033980101",
        "001f5d0a1108818080f0fe9f301075180122030201060a0a08d588cd91920210fd01", "00047e08021001000007000005",
        "001896010a1608ff01121130363a42453a41433a30313a30323a3033",
    ])

    /// As in ClientChannelTests.
    private static let encryptedAnswers = samples([
        "010016016b69746368656e0030366265616330313032303300"
            + "010031000faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f207336b95933b321b1ae86673f689f5c9f"
            + "010014d9423bf48bdea62bb10bbd87a7fb5ecc26721050010014471927a13be9261b3ac147b6600a85b167b42d8e"
    ])

    private static func samples(_ texts: [String]) -> [[UInt8]] { texts.map { (try? Hexadecimal.bytes($0)) ?? [] } }
}
