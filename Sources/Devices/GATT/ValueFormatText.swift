// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

// The text of values, in profiles and in `ctl set`.

/// A text that is not a value of a format.
package struct ValueFormatFault: Error, Hashable, Sendable {
    /// What is wrong and what can be written, without a full stop.
    package let message: String
    /// A fault with this message.
    package init(_ message: String) { self.message = message }
}

extension ValueFormat {
    /// The longest value that an attribute can have (Core 5.4, Vol 3, Part F, 3.2.9).
    package static let longestValue = 512

    /// The bytes of a text: a number with its scale, hexadecimal digits, `true`, or text.
    /// - Throws: `ValueFormatFault` when the text is not a value, or does not fit.
    package func octets(ofText text: String) throws(ValueFormatFault) -> [UInt8] {
        switch self {
        case .octets: return try Self.limited(Self.hexadecimal(text))
        case .text: return try Self.limited(Array(text.utf8))
        case .boolean:
            guard let truth = ["true": 1, "false": 0, "1": 1, "0": 0][text] else {
                throw ValueFormatFault("\"\(text)\" is not one of true, false")
            }
            return [UInt8(truth)]
        case .integer(let format): return try format.octets(ofText: text)
        case .float32, .float64, .medical:
            guard let number = text == "nan" ? Double.nan : Self.number(text) else {
                throw ValueFormatFault("\"\(text)\" is not a number; write 36.6 or nan")
            }
            let octets = octets(of: number)
            if number.isFinite, self.number(of: octets)?.isFinite != true {
                throw ValueFormatFault("\"\(text)\" is too large for this type")
            }
            return octets
        }
    }

    /// The text of a value; hexadecimal digits for bytes that are not a value of this format.
    package func text(of octets: [UInt8]) -> String {
        switch self {
        case .octets: break
        case .text: if let text = String(validating: octets, as: UTF8.self) { return text }
        case .boolean: if let truth = number(of: octets) { return truth == 0 ? "false" : "true" }
        case .integer(let format) where octets.count == format.size && format.scale == 1:
            return "\(format.raw(of: octets))"
        case .float32(let order) where octets.count == 4:
            return "\(Float(bitPattern: UInt32(truncatingIfNeeded: order.bits(of: octets))))"
        case .integer(let format):
            // Digits behind the last one of a scale such as 0.01 are rounding errors.
            if let number = number(of: octets) { return abs(format.scale) < 1e-6 ? "\(number)" : Self.words(number) }
        case .float32, .float64, .medical: if let number = number(of: octets) { return "\(number)" }
        }
        return Hexadecimal.string(octets)
    }

    /// A finite decimal number.
    package static func number(_ text: String) -> Double? {
        // Swift also reads 0x10 and inf as numbers.
        let isDecimal = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// A number as text: whole ones without a point, others without the digits that only binary fractions have.
    static func words(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "\(number)" }
        if let whole = Int(exactly: number) { return "\(whole)" }
        let rounded = (number * 1e9).rounded() / 1e9
        return "\(rounded == 0 ? number : rounded)"
    }

    private static func hexadecimal(_ text: String) throws(ValueFormatFault) -> [UInt8] {
        do throws(WireError) {
            return try Hexadecimal.bytes(text)
        } catch {
            throw ValueFormatFault(ValueText.notHexadecimal(text, example: "0a1b"))
        }
    }

    private static func limited(_ octets: [UInt8]) throws(ValueFormatFault) -> [UInt8] {
        guard octets.count <= longestValue else {
            throw ValueFormatFault("\(octets.count) bytes are more than the \(longestValue) that a value can have")
        }
        return octets
    }
}

extension IntegerFormat {
    func octets(ofText text: String) throws(ValueFormatFault) -> [UInt8] {
        if scale == 1 {
            let isHexadecimal = text.hasPrefix("0x")
            let number = isHexadecimal ? Int128(text.dropFirst(2), radix: 16) : Int128(text)
            guard let number, range.contains(number) else {
                throw ValueFormatFault(
                    "\"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return octets(ofRaw: number)
        }
        guard let number = ValueFormat.number(text), bounds.contains(number) else {
            let (low, high) = (ValueFormat.words(bounds.lowerBound), ValueFormat.words(bounds.upperBound))
            throw ValueFormatFault("\"\(text)\" is not a number from \(low) to \(high)")
        }
        return octets(of: number)
    }
}
