// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON

/// Text of SVG: elements with escaped names and rounded numbers, so that the same values give the same bytes.
struct SVGWriter {
    /// The elements so far, a line each.
    private(set) var lines: [String] = []

    /// A document.
    /// - Parameters:
    ///   - title: at the top, and for readers that show no pictures.
    ///   - left: where the title begins.
    ///   - style: an element `style`.
    static func document(
        _ title: String, width: Double, height: Double, left: Double, style: String,
        _ content: (inout SVGWriter) -> Void
    ) -> String {
        let size = (number(width), number(height))
        var svg = SVGWriter()
        svg.add(raw: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        svg.add(
            "svg",
            [
                ("xmlns", "http://www.w3.org/2000/svg"), ("viewBox", "0 0 \(size.0) \(size.1)"), ("width", size.0),
                ("height", size.1), ("role", "img"),
            ]
        ) { svg in
            svg.add("title", text: title)
            svg.add(raw: style)
            svg.add("rect", [("class", "back"), ("width", size.0), ("height", size.1)])
            svg.add("text", [("class", "title"), ("x", number(left)), ("y", "24")], text: title)
            content(&svg)
        }
        return svg.lines.joined(separator: "\n") + "\n"
    }

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
