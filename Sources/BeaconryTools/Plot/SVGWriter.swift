// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON

/// Text of SVG: elements with escaped names and rounded numbers, so that the same values give the same bytes.
struct SVGWriter {
    /// The elements so far, a line each.
    private(set) var lines: [String] = []

    /// Adds an element without content.
    mutating func add(_ element: String, _ attributes: [(String, String)]) {
        lines.append("<\(element)\(Self.text(attributes))/>")
    }

    /// Adds an element with a text.
    mutating func add(_ element: String, _ attributes: [(String, String)] = [], text: String) {
        lines.append("<\(element)\(Self.text(attributes))>\(Self.escaped(text))</\(element)>")
    }

    /// Adds an element with the elements of a function.
    mutating func add(_ element: String, _ attributes: [(String, String)], content: (inout SVGWriter) -> Void) {
        lines.append("<\(element)\(Self.text(attributes))>")
        content(&self)
        lines.append("</\(element)>")
    }

    /// Adds text that is SVG already.
    mutating func add(raw text: String) { lines.append(text) }

    private static func text(_ attributes: [(String, String)]) -> String {
        attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
    }

    /// Text as the content of an element or an attribute (XML 1.0, 2.2 and 2.4). U+FFFD replaces what XML does not have,
    /// and what could deceive a reader.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in SafeText.line(text).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A number with at most this many decimals, without zeros at the end: `12.5`, `-3`.
    static func number(_ value: Double, decimals: Int = 2) -> String {
        guard abs(value) < 1e12 else { return "0" }
        var (scale, digits) = (1, decimals)
        while digits > 0 {
            scale *= 10
            digits -= 1
        }
        let count = Int((value * Double(scale)).rounded())
        let sign = count < 0 ? "-" : ""
        let (whole, rest) = abs(count).quotientAndRemainder(dividingBy: scale)
        guard rest > 0 else { return "\(sign)\(whole)" }
        var fraction = String(String(rest + scale).dropFirst())
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(sign)\(whole).\(fraction)"
    }
}
