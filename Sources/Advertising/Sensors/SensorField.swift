// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A field of the frame of a sensor: a row of a table.
///
///     .value("temperature", "°C", .int16(1), scale: .part(200), invalid: 0x8000)
struct SensorField: Sendable {
    /// What a field has.
    enum Content: Hashable, Sendable {
        /// A number, which a profile gives.
        case value
        /// A truth value, which a profile gives.
        case state
        /// A number that grows with each change of another value, unless a profile gives it.
        case counter
    }

    /// How the whole number in a frame is a value in the unit.
    enum Scale: Hashable, Sendable {
        /// The number times a fraction, plus an offset.
        case linear(numerator: Int, denominator: Int, offset: Int)
        /// exp(number · ln(greatest + 1) / codes) - 1.
        case logarithmic(greatest: Double, codes: Double)

        /// The number itself.
        static let one = Scale.linear(numerator: 1, denominator: 1, offset: 0)

        /// One in this number of parts: `part(100)` for hundredths.
        static func part(_ denominator: Int) -> Scale { .linear(numerator: 1, denominator: denominator, offset: 0) }
    }

    /// The key in profiles, in words with hyphens between them.
    let key: String
    /// The unit for people; empty for none.
    let unit: String
    let content: Content
    /// Where its bits are.
    let bits: SensorBits
    let scale: Scale
    /// The number in a frame that means that there is no value; `nil` if there is always one.
    let invalid: Int?
    /// The value where a profile gives none, in the unit; `nil` for the invalid number, or else 0.
    let standard: Double?
    /// The item of a list, or the bit of a mask, that the field is in; `nil` for a fixed place.
    var item: Int?

    /// A number.
    static func value(
        _ key: String, _ unit: String, _ bits: SensorBits, scale: Scale = .one, invalid: Int? = nil,
        standard: Double? = nil
    ) -> SensorField {
        SensorField(
            key: key, unit: unit, content: .value, bits: bits, scale: scale, invalid: invalid, standard: standard)
    }

    /// A truth value.
    static func state(_ key: String, _ byte: Int, bit: Int, standard: Bool? = nil) -> SensorField {
        SensorField(
            key: key, unit: "", content: .state, bits: SensorBits([.init(byte, bit: bit, count: 1)]), scale: .one,
            invalid: nil,
            standard: standard.map { $0 ? 1 : 0 })
    }

    /// A counter.
    static func counter(_ key: String, _ bits: SensorBits, invalid: Int? = nil) -> SensorField {
        SensorField(key: key, unit: "", content: .counter, bits: bits, scale: .one, invalid: invalid, standard: 0)
    }

    /// The same field in an item of a list, or with a bit of a mask.
    func of(_ item: Int) -> SensorField {
        var field = self
        field.item = item
        return field
    }

    // MARK: - Values

    /// The value of a number in a frame.
    func value(of number: Int) -> Double {
        switch scale {
        case .linear(let numerator, let denominator, let offset):
            Double(number * numerator + offset * denominator) / Double(denominator)
        case .logarithmic(let greatest, let codes): exp(Double(number) * log(greatest + 1) / codes) - 1
        }
    }

    /// The number nearest to a value; a value beyond the range becomes the end of the range.
    func number(of value: Double) -> Int {
        let exact: Double
        switch scale {
        case .linear(let numerator, let denominator, let offset):
            exact = (value - Double(offset)) * Double(denominator) / Double(numerator)
        case .logarithmic(let greatest, let codes):
            exact = log(max(value, 0) + 1) * codes / log(greatest + 1)
        }
        let range = numbers
        guard exact.isFinite else { return range.lowerBound }
        return Int(min(max(exact.rounded(), Double(range.lowerBound)), Double(range.upperBound)))
    }

    /// The numbers that mean a value.
    var numbers: ClosedRange<Int> {
        let range = bits.range
        guard let invalid = invalid.map(bits.extended) else { return range }
        // The invalid number is an end of the range.
        if invalid == range.upperBound { return range.lowerBound...(invalid - 1) }
        if invalid == range.lowerBound { return (invalid + 1)...range.upperBound }
        return range
    }

    /// The values that it can have, in its unit.
    var range: ClosedRange<Double> { value(of: numbers.lowerBound)...value(of: numbers.upperBound) }

    /// The number where a profile gives no value.
    var standardNumber: Int {
        if let standard { return number(of: standard) }
        return invalid.map(bits.extended) ?? number(of: min(max(0, range.lowerBound), range.upperBound))
    }
}

/// The bits of a number in the bytes of a frame.
struct SensorBits: Hashable, Sendable {
    /// Bits of one byte; bit 0 is the least significant one.
    struct Piece: Hashable, Sendable {
        let byte: Int
        let bit: Int
        let count: Int

        init(_ byte: Int, bit: Int = 0, count: Int = 8) { (self.byte, self.bit, self.count) = (byte, bit, count) }
    }

    /// One digit of a number whose digits are different values: `(number / divisor) % modulus`.
    struct Digit: Hashable, Sendable {
        let divisor: Int
        let modulus: Int
    }

    /// The most significant ones first.
    let pieces: [Piece]
    /// Two's complement.
    var isSigned = false
    /// The weights of the pieces; `nil` for binary ones.
    var weights: [Int]?
    /// The digit of the number that is the value; `nil` for all of it.
    var digit: Digit?
    /// A bit with the sign of the value, and whether it is 1 for values below zero, or else for those from zero on.
    var sign: (piece: Piece, isNegative: Bool)?

    init(_ pieces: [Piece]) { self.pieces = pieces }

    static func == (left: SensorBits, right: SensorBits) -> Bool {
        left.pieces == right.pieces && left.isSigned == right.isSigned && left.digit == right.digit
    }

    func hash(into hasher: inout Hasher) { hasher.combine(pieces) }

    /// The order of the bytes of a number.
    enum Order: Hashable, Sendable { case big, little }

    private static func whole(_ byte: Int, _ count: Int, _ order: Order, isSigned: Bool) -> SensorBits {
        let bytes = (0..<count).map { byte + (order == .big ? $0 : count - 1 - $0) }
        var bits = SensorBits(bytes.map { Piece($0) })
        bits.isSigned = isSigned
        return bits
    }

    static func uint8(_ byte: Int) -> SensorBits { whole(byte, 1, .big, isSigned: false) }
    static func int8(_ byte: Int) -> SensorBits { whole(byte, 1, .big, isSigned: true) }
    static func uint16(_ byte: Int, _ order: Order = .big) -> SensorBits { whole(byte, 2, order, isSigned: false) }
    static func int16(_ byte: Int, _ order: Order = .big) -> SensorBits { whole(byte, 2, order, isSigned: true) }
    static func uint24(_ byte: Int, _ order: Order = .big) -> SensorBits { whole(byte, 3, order, isSigned: false) }
    static func uint32(_ byte: Int, _ order: Order = .big) -> SensorBits { whole(byte, 4, order, isSigned: false) }

    /// Bits of one byte, or of several, the most significant ones first.
    static func pieces(_ pieces: Piece...) -> SensorBits { SensorBits(pieces) }

    // MARK: - Reading and writing

    private var width: Int { pieces.reduce(0) { $0 + $1.count } }

    /// The numbers that they can have.
    var range: ClosedRange<Int> {
        let most: Int
        if let digit {
            most = digit.modulus - 1
        } else if let weights {
            most = zip(pieces, weights).reduce(0) { $0 + ((1 << $1.0.count) - 1) * $1.1 }
        } else {
            most = (1 << (isSigned ? width - 1 : width)) - 1
        }
        return (isSigned ? -most - 1 : sign == nil ? 0 : -most)...most
    }

    /// A bit pattern as a number: with its sign if the numbers have one.
    func extended(_ pattern: Int) -> Int {
        guard isSigned, pattern > range.upperBound else { return pattern }
        return pattern - 1 << width
    }

    /// The number after the last byte.
    var end: Int { (pieces.map(\.byte) + [sign?.piece.byte].compactMap(\.self)).max().map { $0 + 1 } ?? 0 }

    /// The number in a frame's bytes, which are enough.
    func number(in bytes: [UInt8]) -> Int {
        let magnitude: Int
        if let digit {
            magnitude = whole(in: bytes) / digit.divisor % digit.modulus
        } else if let weights {
            magnitude = zip(pieces, weights).reduce(0) { $0 + Self.bits(of: $1.0, in: bytes) * $1.1 }
        } else {
            magnitude = extended(whole(in: bytes))
        }
        guard let sign else { return magnitude }
        return (Self.bits(of: sign.piece, in: bytes) == 1) == sign.isNegative ? -magnitude : magnitude
    }

    private func whole(in bytes: [UInt8]) -> Int {
        pieces.reduce(0) { $0 << $1.count | Self.bits(of: $1, in: bytes) }
    }

    private static func bits(of piece: Piece, in bytes: [UInt8]) -> Int {
        Int(bytes[piece.byte]) >> piece.bit & (1 << piece.count - 1)
    }

    /// Writes a number of the range into a frame's bytes.
    func write(_ number: Int, into bytes: inout [UInt8]) {
        var rest = sign == nil ? number : abs(number)
        if let sign { Self.write((number < 0) == sign.isNegative ? 1 : 0, to: sign.piece, in: &bytes) }
        if let digit {
            let whole = whole(in: bytes)
            rest = whole + (rest - whole / digit.divisor % digit.modulus) * digit.divisor
        }
        if let weights {
            for (piece, weight) in zip(pieces, weights) {
                let part = min(rest / weight, 1 << piece.count - 1)
                Self.write(part, to: piece, in: &bytes)
                rest -= part * weight
            }
            return
        }
        for piece in pieces.reversed() {
            Self.write(rest & (1 << piece.count - 1), to: piece, in: &bytes)
            rest >>= piece.count
        }
    }

    private static func write(_ bits: Int, to piece: Piece, in bytes: inout [UInt8]) {
        let mask = UInt8((1 << piece.count - 1) << piece.bit)
        bytes[piece.byte] = bytes[piece.byte] & ~mask | UInt8(bits << piece.bit) & mask
    }
}
