// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Foundation
import TestSupport
import Testing

@Suite struct DBusMessageTests {
    @Test(arguments: Samples.messages)
    func roundTrips(_ message: DBusMessage) throws {
        let bytes = try message.serialize()
        let parsed = try DBusMessage(parsing: bytes)
        #expect(parsed == message)
        #expect(try parsed.serialize() == bytes)
    }

    /// D-Bus Specification, "Message Protocol", written by hand: big endian, a call of `a` at `/` with one UINT16.
    @Test func bigEndianMessageIsParsed() throws {
        let bytes: [UInt8] = [
            0x42, 1, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 39,
            1, 0x01, 0x6F, 0, 0, 0, 0, 1, 0x2F, 0, 0, 0, 0, 0, 0, 0,
            3, 0x01, 0x73, 0, 0, 0, 0, 1, 0x61, 0, 0, 0, 0, 0, 0, 0,
            8, 0x01, 0x67, 0, 1, 0x71, 0, 0, 0x12, 0x34,
        ]
        let message = try DBusMessage(parsing: bytes)
        #expect(message.kind == .methodCall)
        #expect(message.path == "/")
        #expect(message.member == "a")
        #expect(message.serial == 5)
        #expect(message.body == [.uint16(0x1234)])
        #expect(message.expectsReply)
    }

    @Test(arguments: Samples.messages)
    func truncatedMessageIsRefused(_ message: DBusMessage) throws {
        let bytes = try message.serialize()
        for length in 0..<bytes.count {
            let error = #expect(throws: DBusError.self) { try DBusMessage(parsing: Array(bytes[..<length])) }
            #expect(error?.kind == .malformed)
        }
        #expect(throws: DBusError.self) { try DBusMessage(parsing: bytes + [0]) }
    }

    @Test func tooManyValuesAreRefused() throws {
        var message = DBusMessage.methodReturn(
            to: 1, destination: nil, body: [.array("n", Array(repeating: .int16(1), count: 1 << 20))])
        message.serial = 1
        let bytes = try message.serialize()
        let error = #expect(throws: DBusError.self) { try DBusMessage(parsing: bytes) }
        #expect(error?.kind == .limitExceeded)
    }

    /// `BEACONRY_FUZZ_ROUNDS` sets the number of rounds.
    @Test func mutationsNeverTrap() throws {
        let rounds = ProcessInfo.processInfo.environment["BEACONRY_FUZZ_ROUNDS"].flatMap(Int.init) ?? 100_000
        let originals = try Samples.messages.map { try $0.serialize() }
        var generator = SplitMix64(seed: 0xBEAC)
        var accepted = 0
        for round in 0..<rounds {
            let bytes = Self.mutate(originals[round % originals.count], &generator)
            guard let message = Self.parse(bytes) else { continue }
            accepted += 1
            let again = try message.serialize()
            #expect(try DBusMessage(parsing: again).serialize() == again, "round \(round)")
        }
        #expect(accepted > rounds / 100)
        #expect(accepted < rounds)
    }

    private static func parse(_ bytes: [UInt8]) -> DBusMessage? {
        do throws(DBusError) { return try DBusMessage(parsing: bytes) } catch { return nil }
    }

    private static func mutate(_ original: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = original
        for _ in 0...Int.random(in: 0..<4, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 2: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            case 3: bytes[index] = Array("ybnqiuxtdsogavh(){}re/.".utf8).randomElement(using: &generator) ?? 0
            case 4: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &generator))
            default:
                let from = Int.random(in: 0..<bytes.count, using: &generator)
                let length = min(8, bytes.count - max(index, from))
                bytes.replaceSubrange(index..<index + length, with: bytes[from..<from + length])
            }
        }
        return bytes
    }
}
