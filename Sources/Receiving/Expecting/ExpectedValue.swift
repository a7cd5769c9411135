// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising

/// A value that is expected of a name or a field: a text, the beginning of a text, or a range of numbers.
package struct ExpectedValue: Hashable, Sendable, CustomStringConvertible {
    /// The text that it was made of.
    package let description: String
    private let range: NumberRange?

    /// `Thermo` expects this text, `Thermo*` a text that begins like this, and `20..25`, `20..` or `..25` a number.
    package init(_ text: String) {
        description = text
        range = NumberRange(text)
    }

    /// Whether a text is as expected. Hexadecimal digits, as of a UUID, may be in upper or lower case.
    package func accepts(_ text: String) -> Bool {
        let isHexadecimal = description.allSatisfy { $0.isHexDigit || $0 == "-" || $0 == "*" }
        let (text, wanted) = isHexadecimal ? (text.lowercased(), description.lowercased()) : (text, description)
        return wanted.hasSuffix("*") ? text.hasPrefix(wanted.dropLast()) : text == wanted
    }

    /// Whether the value of a field is as expected.
    func accepts(_ value: BeaconField.Value) -> Bool {
        switch value {
        case .text(let text): accepts(text)
        case .integer(let integer): accepts(Double(integer))
        case .number(let number): accepts(number)
        case .list(let values): values.contains(where: accepts)
        }
    }

    private func accepts(_ number: Double) -> Bool { range?.contains(number) ?? (Double(description) == number) }
}

/// A range of numbers, of which one end may be open.
package struct NumberRange: Hashable, Sendable {
    private let lower: Double?
    private let upper: Double?

    /// `-70..-40`, `-70..` or `..2.5`; `nil` for another text, for numbers in the wrong order, and for `..`.
    package init?(_ text: String) {
        guard let dots = text.firstRange(of: "..") else { return nil }
        let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
        let (lower, upper) = (Double(first), Double(last))
        guard first.isEmpty || lower?.isFinite == true, last.isEmpty || upper?.isFinite == true else { return nil }
        guard lower != nil || upper != nil, lower ?? -.infinity <= upper ?? .infinity else { return nil }
        (self.lower, self.upper) = (lower, upper)
    }

    /// Whether a number is in the range, its ends included.
    package func contains(_ number: Double) -> Bool { (lower ?? -.infinity)...(upper ?? .infinity) ~= number }

    /// `-70 to -40 dBm`, `-70 dBm or more`, `2.5 m or less`
    func text(unit: String) -> String {
        switch (lower, upper) {
        case (let lower?, let upper?): "\(Self.text(lower)) to \(Self.text(upper)) \(unit)"
        case (let lower?, nil): "\(Self.text(lower)) \(unit) or more"
        case (nil, let upper): "\(upper.map(Self.text) ?? "") \(unit) or less"
        }
    }

    private static func text(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }
}
