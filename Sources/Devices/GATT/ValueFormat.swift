// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How a value, or a field of one, is written in octets.
package enum ValueFormat: Hashable, Sendable {
    /// Octets that mean nothing here.
    case octets
    /// UTF-8.
    case text
    /// One octet: 0 is false, 1 is true, and nothing else is a value.
    case boolean
    /// A whole number.
    case integer(IntegerFormat)
    /// A number of IEEE 754, of four octets.
    case float32(ByteOrder)
    /// A number of IEEE 754, of eight octets.
    case float64(ByteOrder)
    /// A number of IEEE 11073-20601, little-endian, with so many digits behind the point; `nil` for what it needs.
    case medical(MedicalFloat, decimals: Int?)

    /// How many octets it always has; `nil` where they may be more or fewer.
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

    /// Whether it is a number, so that a quantity can be written in it.
    package var isNumber: Bool {
        switch self {
        case .octets, .text: false
        case .boolean, .integer, .float32, .float64, .medical: true
        }
    }

    /// The numbers that it can hold; `nil` where it holds none, or any.
    package var bounds: ClosedRange<Double>? {
        switch self {
        case .octets, .text, .float32, .float64, .medical: nil
        case .boolean: 0...1
        case .integer(let format): format.bounds
        }
    }

    /// The octets of a number, the nearest that it can hold; none where it holds no numbers.
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

    /// The number of octets; `nil` where it holds none, or the octets are no value of it.
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

/// Which octet of a number comes first.
package enum ByteOrder: String, Hashable, Sendable, CaseIterable {
    /// The lowest, as almost everywhere in Bluetooth.
    case littleEndian = "le"
    /// The highest.
    case bigEndian = "be"

    func octets(of bits: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        let octets = (0..<bits.bitWidth / 8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        return self == .littleEndian ? octets : octets.reversed()
    }

    /// Of at most eight octets.
    func bits(of octets: [UInt8]) -> UInt64 {
        (self == .littleEndian ? octets.reversed() : octets).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// How a whole number is written.
package struct IntegerFormat: Hashable, Sendable {
    /// Octets, 1 to 8.
    package let size: Int
    /// Whether it may be negative, in two's complement.
    package let isSigned: Bool
    /// Which octet comes first.
    package let order: ByteOrder
    /// What one step of the whole number is worth: 0.01 where the number counts hundredths. Not 0, and finite.
    package let scale: Double

    /// A format; the size is brought into its range, and a scale that cannot be one is 1.
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
