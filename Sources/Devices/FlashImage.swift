// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The contents of flash memory: named values, small enough for a person to read.
package struct FlashImage: Hashable, Sendable {
    /// The values by name.
    package var values: [String: FlashValue]
    package init(_ values: [String: FlashValue]) { self.values = values }

    /// The integer of this name.
    /// - Throws: `FlashFault` when there is none, or one that the type cannot hold.
    package func integer<Value: FixedWidthInteger>(_ name: String) throws(FlashFault) -> Value {
        guard case .integer(let integer) = values[name], let value = Value(exactly: integer) else {
            throw FlashFault(name: name)
        }
        return value
    }

    /// The text of this name.
    /// - Throws: `FlashFault` when there is none.
    package func text(_ name: String) throws(FlashFault) -> String {
        guard case .text(let text) = values[name] else { throw FlashFault(name: name) }
        return text
    }
}

/// A saved value: in a file, a JSON number or string.
package enum FlashValue: Hashable, Sendable, Codable {
    /// A whole number.
    case integer(Int)
    /// Text.
    case text(String)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let integer): try container.encode(integer)
        case .text(let text): try container.encode(text)
        }
    }
}

/// A saved value that is missing or out of range.
package struct FlashFault: Error, Hashable, Sendable {
    /// The value's name.
    package let name: String
    /// A fault of the value of this name.
    package init(name: String) { self.name = name }
}
