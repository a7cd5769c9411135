// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The format of a value, or of a field of one, in bytes.
package enum ValueFormat: Hashable, Sendable {
    /// Bytes without a meaning.
    case octets
    /// UTF-8.
    case text
    /// One byte: 0 is false, 1 is true, and other bytes are not values.
    case boolean
    /// A whole number.
    case integer(IntegerFormat)
    /// A number of IEEE 754, of four bytes.
    case float32(ByteOrder)
    /// A number of IEEE 754, of eight bytes.
    case float64(ByteOrder)
    /// A number of IEEE 11073-20601, little-endian, with this number of decimal places; `nil` for as many as needed.
    case medical(MedicalFloat, decimals: Int?)

    /// The size in bytes; `nil` when it is variable.
    package var size: Int? {
        switch self {
        case .octets, .text: nil
        case .boolean: 1
        case .integer(let format): format.size
        case .float32: 4
        case .float64: 8
        case .medical(let format, _): format.size
        }
    }

    /// Whether it is a format of numbers, which can hold a quantity.
    package var isNumber: Bool {
        switch self {
        case .octets, .text: false
        case .boolean, .integer, .float32, .float64, .medical: true
        }
    }

    /// The numbers that it can hold; `nil` when it holds none, or any.
    package var bounds: ClosedRange<Double>? {
        switch self {
        case .octets, .text, .float32, .float64, .medical: nil
        case .boolean: 0...1
        case .integer(let format): format.bounds
        }
    }

    /// The bytes of the nearest number that it can hold; empty when it holds no numbers.
    package func octets(of number: Double) -> [UInt8] {
        switch self {
        case .octets, .text: []
        case .boolean: [number == 0 ? 0 : 1]
        case .integer(let format): format.octets(of: number)
        case .float32(let order): order.octets(of: Float(number).bitPattern)
        case .float64(let order): order.octets(of: number.bitPattern)
        case .medical(let format, let decimals): format.octets(of: number, decimals: decimals)
        }
    }

    /// The number in some bytes; `nil` when it holds no numbers, or when the bytes are not a value of it.
    package func number(of octets: [UInt8]) -> Double? {
        guard octets.count == size else { return nil }
        return switch self {
        case .octets, .text: nil
        case .boolean: octets[0] < 2 ? Double(octets[0]) : nil
        case .integer(let format): Double(format.raw(of: octets)) * format.scale
        case .float32(let order): Double(Float(bitPattern: UInt32(truncatingIfNeeded: order.bits(of: octets))))
        case .float64(let order): Double(bitPattern: order.bits(of: octets))
        case .medical(let format, _): format.number(of: octets)
        }
    }
}

/// The order of the bytes of a number.
package enum ByteOrder: String, Hashable, Sendable, CaseIterable {
    /// The lowest byte first, as almost everywhere in Bluetooth.
    case littleEndian = "le"
    /// The highest byte first.
    case bigEndian = "be"

    func octets(of bits: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        let octets = (0..<bits.bitWidth / 8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        return self == .littleEndian ? octets : octets.reversed()
    }

    /// The bits of at most eight bytes.
    func bits(of octets: [UInt8]) -> UInt64 {
        (self == .littleEndian ? octets.reversed() : octets).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The format of a whole number.
package struct IntegerFormat: Hashable, Sendable {
    /// The size in bytes, 1 to 8.
    package let size: Int
    /// Whether it may be negative, in two's complement.
    package let isSigned: Bool
    /// The order of the bytes.
    package let order: ByteOrder
    /// The value of one unit: 0.01 for hundredths. Finite and not 0.
    package let scale: Double

    /// A format; the size is limited to its range, and an invalid scale becomes 1.
    package init(size: Int, isSigned: Bool, order: ByteOrder = .littleEndian, scale: Double = 1) {
        self.size = min(max(size, 1), 8)
        self.isSigned = isSigned
        self.order = order
        self.scale = scale.isFinite && scale != 0 ? scale : 1
    }

    /// The whole numbers that it can hold.
    package var range: ClosedRange<Int128> {
        let bits = size * 8
        return isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
    }

    var bounds: ClosedRange<Double> {
        let ends = [Double(range.lowerBound) * scale, Double(range.upperBound) * scale]
        return min(ends[0], ends[1])...max(ends[0], ends[1])
    }

    func octets(of number: Double) -> [UInt8] {
        let steps = (number / scale).rounded()
        guard !steps.isNaN else { return octets(ofRaw: 0) }
        let limited = Int128(min(max(steps, -0x1p100), 0x1p100))
        return octets(ofRaw: min(max(limited, range.lowerBound), range.upperBound))
    }

    func octets(ofRaw raw: Int128) -> [UInt8] {
        let octets = (0..<size).map { UInt8(truncatingIfNeeded: raw >> (8 * $0)) }
        return order == .littleEndian ? octets : octets.reversed()
    }

    func raw(of octets: [UInt8]) -> Int128 {
        let bits = Int128(order.bits(of: octets))
        return isSigned && bits > range.upperBound ? bits - (1 << (size * 8)) : bits
    }
}
