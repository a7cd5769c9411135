// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Bytes as hexadecimal text, two digits per byte.
public enum Hexadecimal {
    private static let lowerDigits = Array("0123456789abcdef".utf8)

    /// The bytes in lower case, without separators.
    public static func string(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append(lowerDigits[Int(byte >> 4)])
            digits.append(lowerDigits[Int(byte & 0x0F)])
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes in upper case, with a separator in front of some.
    /// - Parameters:
    ///   - separator: an ASCII character.
    ///   - separated: the indices of the bytes with a separator in front of them.
    static func grouped(_ bytes: [UInt8], by separator: Unicode.Scalar, before separated: [Int]) -> String {
        let count = 2 * bytes.count + separated.count
        return String(unsafeUninitializedCapacity: count) { text in
            var end = 0
            func append(_ character: UInt8) {
                text[end] = character
                end += 1
            }
            for (index, byte) in bytes.enumerated() {
                if separated.contains(index) { append(UInt8(ascii: separator)) }
                append(upperDigit(byte >> 4))
                append(upperDigit(byte & 0x0F))
            }
            return end
        }
    }

    private static func upperDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Parses digits as people paste them: also with dashes, dots, commas and tabs between bytes, with `0x` in front of each, and
    /// lines of `hcidump -R`, which begin with `>` or `<`.
    /// - Throws: as `bytes`.
    public static func pasted(_ text: some StringProtocol) throws(WireError) -> [UInt8] {
        let separators = Array(" -.,:<>\t\r\n".utf8)
        // A number below zero is a mistake.
        guard text.first != "-" else { throw WireError(.notHexadecimal, offset: 0) }
        let digits = text.utf8.split { separators.contains($0) }.map { word in
            guard word.starts(with: "0x".utf8) || word.starts(with: "0X".utf8) else { return Array(word) }
            // One digit after 0x is a byte, as in 0x2, 0x1, 0x6.
            return word.count == 3 ? [UInt8(ascii: "0")] + word.dropFirst(2) : Array(word.dropFirst(2))
        }
        return try bytes(String(decoding: digits.joined(), as: UTF8.self))
    }

    /// Parses digits of either case. A leading `0x` is allowed, and so are spaces, colons and line feeds.
    /// - Throws: `WireError` of kind `.notHexadecimal`, with the offset of the first byte that is not part of two
    ///   digits.
    public static func bytes(_ text: some StringProtocol) throws(WireError) -> [UInt8] {
        var digits = Array(text.utf8)
        if digits.starts(with: Array("0x".utf8)) || digits.starts(with: Array("0X".utf8)) {
            digits.removeFirst(2)
        }
        digits.removeAll { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\n") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard index + 1 < digits.count, let high = value(digits[index]), let low = value(digits[index + 1]) else {
                throw WireError(.notHexadecimal, offset: index / 2)
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
