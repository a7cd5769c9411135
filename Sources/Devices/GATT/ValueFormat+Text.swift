// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

// How people write values, in profiles and in `ctl set` alike.

/// A text that is no value of a format; the message says what is, without a full stop.
package struct ValueFormatFault: Error, Hashable, Sendable {
    /// What is wrong, and what can be written.
    package let message: String
    /// A fault with this message.
    package init(_ message: String) { self.message = message }
}

extension ValueFormat {
    /// The longest value that an attribute can have (Core 5.4, Vol 3, Part F, 3.2.9).
    package static let longestValue = 512

    /// The octets of a value as people write it: a number with its scale, hexadecimal digits, `true`, or text.
    /// - Throws: `ValueFormatFault` when the text is none, or does not fit.
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

    /// The value as people write it; octets as hexadecimal digits where they are no value of this format.
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
            // What a scale such as 0.01 adds behind its last digit is none of the value.
            if let number = number(of: octets) { return abs(format.scale) < 1e-6 ? "\(number)" : Self.words(number) }
        case .float32, .float64, .medical: if let number = number(of: octets) { return "\(number)" }
        }
        return Hexadecimal.string(octets)
    }

    /// A finite decimal number as people write it.
    package static func number(_ text: String) -> Double? {
        // Not everything that Swift reads as a number is one to people: 0x10, inf.
        let isDecimal = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// A number for people: whole ones as such, others without the digits that only binary fractions have.
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
            throw ValueFormatFault("\"\(text)\" is not octets; write two hexadecimal digits each, such as 0a1b")
        }
    }

    private static func limited(_ octets: [UInt8]) throws(ValueFormatFault) -> [UInt8] {
        guard octets.count <= longestValue else {
            throw ValueFormatFault("\(octets.count) octets are more than the \(longestValue) that a value can have")
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
