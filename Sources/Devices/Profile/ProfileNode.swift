// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A place in a text.
package struct TextPlace: Hashable, Sendable {
    /// The line, counted from 1.
    package let line: Int
    /// The column in characters, counted from 1.
    package let column: Int

    /// A place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// A value of a profile and its place in the text, whatever language the text is written in.
package struct ProfileNode: Sendable {
    /// A value.
    package enum Content: Sendable {
        /// A single value, as it is written.
        case scalar(String)
        /// Values in order.
        case sequence([ProfileNode])
        /// Keys and values in order; no two keys are equal.
        case mapping(Mapping)
    }

    /// Keys and values in order.
    package struct Mapping: Sendable {
        /// The pairs.
        package let pairs: [(key: ProfileNode, value: ProfileNode)]

        /// A mapping of these pairs.
        package init(_ pairs: [(key: ProfileNode, value: ProfileNode)]) { self.pairs = pairs }

        /// The value of a key; `nil` when the key is missing.
        package subscript(_ key: String) -> ProfileNode? { pairs.first { $0.key.text == key }?.value }
    }

    /// The value.
    package let content: Content
    /// Where it begins.
    package let place: TextPlace

    /// A value at a place.
    package init(_ content: Content, at place: TextPlace) {
        self.content = content
        self.place = place
    }

    /// The text of a single value; `nil` for anything else.
    package var text: String? { if case .scalar(let text) = content { text } else { nil } }

    /// The values of a sequence; `nil` for anything else.
    package var sequence: [ProfileNode]? { if case .sequence(let nodes) = content { nodes } else { nil } }

    /// The mapping; `nil` for anything else.
    package var mapping: Mapping? { if case .mapping(let mapping) = content { mapping } else { nil } }
}
