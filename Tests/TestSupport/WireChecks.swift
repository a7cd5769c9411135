// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A fault of a codec.
public struct WireCheckFailure: Error, CustomStringConvertible {
    public let description: String
}

/// Checks that a value is parsed from its own bytes, and that every truncated prefix of them is a valid value or is
/// refused with an offset in the prefix.
/// - Throws: `WireCheckFailure`, or the `WireError` of bytes that should have been parsed.
public func checkWire<Value: WireCodable & Equatable>(_ value: Value) throws {
    let bytes = value.serialized()
    let parsed = try Value(parsing: bytes)
    guard parsed == value else {
        throw WireCheckFailure(description: "\(value) is parsed as \(parsed) from \(Hexadecimal.string(bytes))")
    }
    for count in 0..<bytes.count { try checkParsing(Value.self, Array(bytes[..<count])) }
}

/// Checks the same of a value with known bytes, and that it is serialized to them.
public func checkWire<Value: WireCodable & Equatable>(_: Value.Type, bytes: [UInt8]) throws -> Value {
    let value = try Value(parsing: bytes)
    guard value.serialized() == bytes else {
        throw WireCheckFailure(
            description: "\(Hexadecimal.string(bytes)) is written as \(Hexadecimal.string(value.serialized()))")
    }
    try checkWire(value)
    return value
}

/// Feeds a parser mutated samples and random bytes: every parsed value must be serialized to the same bytes.
/// - Throws: `WireCheckFailure`, also if the parser accepted no input, because then nothing was checked.
public func fuzzWire<Value: WireCodable>(
    _: Value.Type, samples: [[UInt8]], rounds: Int = 2000, seed: UInt64 = 1
) throws {
    var generator = SplitMix64(seed: seed)
    var accepted = 0
    for round in 0..<rounds {
        var bytes = generator.bytes(Int.random(in: 0...64, using: &generator))
        if round % 4 != 0, let sample = samples.randomElement(using: &generator) {
            bytes = sample
            for _ in 0..<Int.random(in: 0...3, using: &generator) { mutate(&bytes, &generator) }
        }
        if try checkParsing(Value.self, bytes) { accepted += 1 }
    }
    guard accepted > 0 else { throw WireCheckFailure(description: "\(Value.self) accepted none of \(rounds) inputs") }
}

private func mutate(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
    let octet = UInt8.random(in: 0...255, using: &generator)
    guard let index = bytes.indices.randomElement(using: &generator) else { return bytes.append(octet) }
    switch Int.random(in: 0...4, using: &generator) {
    case 0: bytes[index] = octet
    case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
    case 2: bytes.insert(octet, at: index)
    case 3: bytes.remove(at: index)
    default: bytes.removeSubrange(index...)
    }
}

/// Parses from the start of `bytes`; returns whether that succeeded.
@discardableResult
private func checkParsing<Value: WireCodable>(_: Value.Type, _ bytes: [UInt8]) throws -> Bool {
    var reader = ByteReader(bytes)
    do {
        let value = try Value(parsing: &reader)
        guard value.serialized() == Array(bytes[..<reader.offset]) else {
            throw WireCheckFailure(
                description: "\(Hexadecimal.string(bytes)) is parsed up to byte \(reader.offset) as \(value), which is "
                    + "written as \(Hexadecimal.string(value.serialized()))")
        }
        return true
    } catch let error as WireError {
        guard 0...bytes.count ~= error.offset else {
            throw WireCheckFailure(
                description: "\(Hexadecimal.string(bytes)) is refused at an offset outside of it: \(error)")
        }
        return false
    }
}
