// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension SensorTagQuantity {
    /// Reads what people write: a decimal number in the quantity's range, or the names of keys; `nil` for anything else.
    package func value(of text: String, with firmware: SensorTagFirmware) -> Double? {
        if self == .keys, let keys = SensorTagKeys(text) { return Double(keys.rawValue) }
        guard let value = ValueFormat.number(text), range(with: firmware).contains(value),
            self != .keys || value == value.rounded()
        else { return nil }
        return value
    }

    /// A value as people write it, without needless decimals.
    package func text(of value: Double) -> String {
        if self == .keys { return SensorTagKeys(rawValue: UInt8(clampedNearest: value)).description }
        return Self.plain(value)
    }

    /// What it can be, for people: `a number from 0 to 100 (%)`.
    package func possibleValues(with firmware: SensorTagFirmware) -> String {
        guard self != .keys else { return "none, left, right or side, or several of them such as left+right" }
        let range = range(with: firmware)
        return "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)) (\(unit))"
    }

    private static func plain(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
