// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A file that another one includes.
package struct IncludedFile: Hashable, Sendable {
    /// Its path, for messages.
    package let path: String
    /// Its folder, relative to the folder of the file that begins the inclusion; empty, or with a final slash.
    package let folder: String

    /// A file with this path in messages.
    package init(path: String, folder: String) {
        self.path = path
        self.folder = folder
    }
}

/// A place in a text.
package struct TextPlace: Hashable, Sendable {
    /// The line, counted from 1.
    package let line: Int
    /// The column in characters, counted from 1.
    package let column: Int
    /// The file, if it is an included one.
    package let file: IncludedFile?

    /// A place.
    package init(line: Int, column: Int, file: IncludedFile? = nil) {
        self.line = line
        self.column = column
        self.file = file
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
        package init(_ pairs: [(key: ProfileNode, value: ProfileNode)]) { self.pairs = pairs }

        /// The value of a key; `nil` when the key is missing.
        package subscript(_ key: String) -> ProfileNode? { pairs.first { $0.key.text == key }?.value }
    }

    /// The value.
    package let content: Content
    /// Where it begins.
    package let place: TextPlace
    /// Of a key: whether it is one of the defaults of all beacons, and may be unknown to some of them.
    package let isDefault: Bool

    /// A value at a place.
    package init(_ content: Content, at place: TextPlace, isDefault: Bool = false) {
        self.content = content
        self.place = place
        self.isDefault = isDefault
    }

    /// The text of a single value; `nil` for anything else.
    package var text: String? { if case .scalar(let text) = content { text } else { nil } }

    /// The values of a sequence; `nil` for anything else.
    package var sequence: [ProfileNode]? { if case .sequence(let nodes) = content { nodes } else { nil } }

    /// The mapping; `nil` for anything else.
    package var mapping: Mapping? { if case .mapping(let mapping) = content { mapping } else { nil } }
}
