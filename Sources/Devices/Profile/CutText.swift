// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A text without quotes of which YAML has taken the rest for a comment, as in `name: Stele #4`.
///
/// A comment is part of a text, by all appearances, if one blank is before its `#` and none behind it, or only a number, and if the
/// whole text would be a value of the key: numbers, units and choices have no such texts. Ids have none either, but a number.
package struct CutText: Hashable, Sendable {
    /// The path of the file, as given.
    package let file: String
    /// From 1.
    package let line: Int
    /// In characters, from 1.
    package let column: Int
    /// The path of the field, such as `beacons[0].name`.
    package let field: String
    /// What is left of the text.
    private let text: String
    /// The comment, from its `#`.
    private let comment: String
    /// Whether both together would be a value of the key; else it is a name, which has no such characters.
    private let isWholeValid: Bool

    init(file: String, at place: TextPlace, field: String, text: String, comment: String, isWholeValid: Bool) {
        self.file = file
        line = place.line
        column = place.column
        self.field = field
        self.text = text
        self.comment = comment
        self.isWholeValid = isWholeValid
    }

    /// What is wrong, without the place.
    package var message: String { "\(field): the text is \"\(text)\", since YAML takes \" \(comment)\" for a comment" }

    /// The fix.
    package var hint: String {
        let key = field.split(separator: ".").last.map { $0.prefix { $0 != "[" } } ?? ""
        let whole =
            isWholeValid
            ? "\"\(text) \(comment)\""
            : "\(text)-\(comment.filter(\.isNumber)), since names have no blanks and no \"#\""
        return "write \(key): \(whole), or two blanks before \"#\" if it is a comment"
    }

    /// The warning of a run.
    package var warning: Warning {
        Warning(code: "text-cut", message: "\(file):\(line):\(column): \(message)", hint: hint)
    }
}
