// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc

/// A decimal floating-point number of IEEE 11073-20601, as medical devices send it: a whole number times a power of ten.
package enum MedicalFloat: Hashable, Sendable {
    /// `SFLOAT`, two bytes: 12 bits of mantissa, 4 of exponent.
    case short
    /// `FLOAT`, four bytes: 24 bits of mantissa, 8 of exponent.
    case long

    /// The size in bytes.
    package var size: Int { self == .short ? 2 : 4 }

    private var mantissaBits: Int { self == .short ? 12 : 24 }
    private var exponents: ClosedRange<Int> { self == .short ? -8...7 : -128...127 }
    /// The five values around half of the range are not numbers: infinities, NaN and two others.
    private var greatest: Int { (1 << (mantissaBits - 1)) - 3 }

    /// The bytes of a number, little-endian. A number that is too large becomes infinite.
    /// - Parameter decimals: the number of decimal places; `nil` for as many as the number needs and the format has.
    package func octets(of number: Double, decimals: Int? = nil) -> [UInt8] {
        let half = 1 << (mantissaBits - 1)
        if number.isNaN { return octets(mantissa: half - 1, exponent: 0) }
        let infinity = octets(mantissa: number > 0 ? half - 2 : -half + 2, exponent: 0)
        guard number.isFinite else { return infinity }
        var exponent = decimals.map { max(exponents.lowerBound, -$0) } ?? 0
        if decimals == nil {
            while exponent > exponents.lowerBound, !isExact(number, exponent), fits(number, exponent - 1) {
                exponent -= 1
            }
        }
        while !fits(number, exponent) {
            guard exponent < exponents.upperBound else { return infinity }
            exponent += 1
        }
        return octets(mantissa: Int(mantissa(number, exponent)), exponent: exponent)
    }

    /// The number in some bytes; `nil` when their count is not the format's size.
    package func number(of octets: [UInt8]) -> Double? {
        guard octets.count == size else { return nil }
        let bits = octets.reversed().reduce(0) { $0 << 8 | Int($1) }
        let half = 1 << (mantissaBits - 1)
        let raw = bits & (2 * half - 1)
        let mantissa = raw >= half ? raw - 2 * half : raw
        let range = exponents.upperBound - exponents.lowerBound + 1
        let rawExponent = bits >> mantissaBits
        let exponent = rawExponent > exponents.upperBound ? rawExponent - range : rawExponent
        switch mantissa {
        case half - 2: return .infinity
        case -half + 2: return -.infinity
        case half - 1, -half, -half + 1: return .nan
        // A power below one is not a number of this kind, so that dividing is what gives the nearest one.
        default:
            return exponent < 0
                ? Double(mantissa) / pow(10, Double(-exponent)) : Double(mantissa) * pow(10, Double(exponent))
        }
    }

    private func mantissa(_ number: Double, _ exponent: Int) -> Double {
        (exponent < 0 ? number * pow(10, Double(-exponent)) : number / pow(10, Double(exponent))).rounded()
    }

    private func fits(_ number: Double, _ exponent: Int) -> Bool {
        abs(mantissa(number, exponent)) <= Double(greatest)
    }

    private func isExact(_ number: Double, _ exponent: Int) -> Bool {
        guard fits(number, exponent) else { return false }
        let mantissa = mantissa(number, exponent)
        return (exponent < 0 ? mantissa / pow(10, Double(-exponent)) : mantissa * pow(10, Double(exponent))) == number
    }

    private func octets(mantissa: Int, exponent: Int) -> [UInt8] {
        let bits = (mantissa & ((1 << mantissaBits) - 1)) | exponent << mantissaBits
        return (0..<size).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }
}
