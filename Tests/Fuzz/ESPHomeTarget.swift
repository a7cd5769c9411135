// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
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
                        _ = try ClientMessage(type: type, body: body)
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

    private static func samples(_ texts: [String]) -> [[UInt8]] { texts.map { (try? Hexadecimal.bytes($0)) ?? [] } }
}
