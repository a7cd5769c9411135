// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Text without the characters that control terminals or end lines.
///
/// Names come from the air, from profiles and from other processes. Control characters (C0, DEL, C1) control a terminal; line
/// and paragraph separators end a line for some programs; format characters (bidirectional overrides and isolates, zero-width
/// characters, byte order marks, tags) make a text look like another one.
package enum SafeText {
    /// One line, in which U+FFFD replaces these characters.
    package static func line(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isSafe($0) ? $0 : "\u{FFFD}" }))
    }

    /// The same JSON, in which these characters are escaped as `\uXXXX`; those below U+0020 are escaped already.
    static func json(_ json: String) -> String {
        guard !isPlain(json) else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            if isSafe(scalar) {
                escaped.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return escaped
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }

    /// Whether a text is printable ASCII, as most texts are.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { 0x20..<0x7F ~= $0 } }
}
