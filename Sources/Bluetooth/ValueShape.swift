// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Which texts a single value of a profile or a scenario may be.
///
/// The JSON Schemas follow from the shapes in the rows of settings and formats. In YAML 1.2, which the parsers read, a value
/// without quotes may also be a number or a truth value.
package indirect enum ValueShape: Hashable, Sendable {
    /// Any text.
    case any
    /// A text of this number of Unicode scalars.
    case text(ClosedRange<Int>)
    /// A text that matches all of a regular expression (ECMA 262); whether it may also look like a number or a truth value.
    case pattern(String, looksLike: Look = .text)
    /// One of these texts.
    case choice([String])
    /// `true` or `false`.
    case boolean
    /// A whole number, with or without the unit behind it, and perhaps with `0x` in front of hexadecimal digits; `Int.min` and
    /// `Int.max` are no bounds.
    case integer(ClosedRange<Int>, unit: String = "", isHexadecimal: Bool = false)
    /// A finite number, with or without the unit behind it; infinities are no bounds.
    case number(ClosedRange<Double>, unit: String = "")
    /// A number between two others, the first or the last of which may be excluded.
    case open(ClosedRange<Double>, unit: String = "", excludes: Excluded)
    /// A value of one of these shapes.
    case either([ValueShape])

    /// What YAML may take a text for.
    package enum Look: Hashable, Sendable {
        /// A text only: it has a letter or a sign that numbers do not have.
        case text
        /// A text or a whole number from 0 on: hexadecimal digits.
        case digits
        /// A text or a whole number: a name without dots.
        case integer
        /// A text, a number or a truth value.
        case scalar
    }

    /// The end of a range that is not part of it.
    package enum Excluded: Hashable, Sendable {
        case lowest, highest
    }

    /// Any finite number.
    package static let anyNumber = ValueShape.number(-.infinity ... .infinity)
    /// Any whole number of 64 bits.
    package static let anyInteger = ValueShape.integer(.min ... .max)

    /// A UUID of 128 bits.
    package static let uuid = ValueShape.pattern(uuidDigits, looksLike: .digits)
    /// The digits of a UUID of 128 bits, as a regular expression.
    package static let uuidDigits = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32}"

    /// One of the names of an enumeration.
    package static func choice<Value: CaseIterable & RawRepresentable<String>>(of _: Value.Type) -> ValueShape {
        .choice(Value.allCases.map(\.rawValue))
    }

    /// Bytes as people paste them (`Hexadecimal.pasted`).
    /// - Parameter count: the number of bytes.
    package static func pasted(_ count: ClosedRange<Int>) -> ValueShape {
        let separators = "[ .,:<>\\t\\r\\n-]*"
        let byte = "(0[xX])?[0-9A-Fa-f]\(separators)[0-9A-Fa-f]\(separators)"
        return .pattern("(?!-)\(separators)(\(byte)){\(count.lowerBound),\(count.upperBound)}", looksLike: .digits)
    }

    /// Bytes as two hexadecimal digits each (`Hexadecimal.bytes`).
    /// - Parameter count: the number of bytes.
    package static func bytes(_ count: ClosedRange<Int>) -> ValueShape {
        let most = count.upperBound == .max ? "" : "\(count.upperBound)"
        let byte = "[ :\\n]*[0-9A-Fa-f][ :\\n]*[0-9A-Fa-f]"
        return .pattern("(0[xX])?(\(byte)){\(count.lowerBound),\(most)}[ :\\n]*", looksLike: .digits)
    }
}
