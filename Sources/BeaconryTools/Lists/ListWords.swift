// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// Words of people: names of columns to be compared, and names to be made ids.
enum ListWords {
    /// A text without blanks around it, of all kinds: spreadsheets have no-break and thin ones, and marks without a width.
    static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// Whether a character is a blank, or invisible.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        isSpace(scalar) || ["\u{1A}", "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{AD}"].contains(scalar)
    }

    /// Whether a character is a blank or a line end.
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || (0x09...0x0D).contains(scalar.value) : scalar.properties.isWhitespace
    }

    /// The text on one line: every sequence of blanks and line ends is a blank.
    static func oneLine(_ text: String) -> String {
        text.unicodeScalars.split { isSpace($0) }.map { String($0) }.joined(separator: " ")
    }

    /// The words of a name in small letters and digits, without marks on letters: `X-Koordinate (m)` is x, koordinate, m.
    /// A new word also begins with a capital letter behind a small one.
    static func words(_ name: String) -> [String] {
        var words: [String] = [""]
        var wasSmall = false
        for scalar in name.unicodeScalars {
            let letters = plain(scalar)
            if letters.isEmpty {
                // Marks are parts of letters.
                if scalar.properties.generalCategory != .nonspacingMark { words.append("") }
                wasSmall = false
                continue
            }
            if scalar.properties.isUppercase, wasSmall { words.append("") }
            wasSmall = scalar.properties.isLowercase
            words[words.count - 1] += letters
        }
        return words.filter { !$0.isEmpty }
    }

    /// A character as small letters and digits: `Ü` is u, `ß` ss, `é` e; letters of other scripts stay, and everything else is empty.
    private static func plain(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII {
            let character = Character(scalar)
            return character.isLetter || character.isNumber ? character.lowercased() : ""
        }
        if let number = scalar.properties.numericType, number == .decimal, let value = scalar.properties.numericValue {
            return "\(Int(value))"
        }
        guard scalar.properties.isAlphabetic else { return "" }
        return latin(scalar) ?? scalar.properties.lowercaseMapping
    }

    /// The letters that a Latin letter with a mark is made of, by its name in Unicode: LATIN SMALL LETTER E WITH ACUTE.
    private static func latin(_ scalar: Unicode.Scalar) -> String? {
        guard let name = scalar.properties.name, name.hasPrefix("LATIN ") else { return nil }
        if name.hasSuffix("LETTER SHARP S") { return "ss" }
        for kind in ["SMALL LETTER ", "CAPITAL LETTER ", "SMALL LIGATURE ", "CAPITAL LIGATURE "] {
            guard let range = name.firstRange(of: kind) else { continue }
            let letter = name[range.upperBound...].prefix { $0 != " " }
            if letter.count <= 2 { return letter.lowercased() }
            return ["DOTLESS": "i", "ETH": "d", "THORN": "th"][String(letter)]
        }
        return nil
    }

    /// An id made of a name: small letters, digits and hyphens, cut between words at 48; empty if the name has no Latin letters.
    static func id(of name: String) -> String {
        // As in German, and in the languages of the north.
        let spelled = name.replacing("ä", with: "ae").replacing("ö", with: "oe").replacing("ü", with: "ue")
            .replacing("Ä", with: "Ae").replacing("Ö", with: "Oe").replacing("Ü", with: "Ue")
        var id = ""
        for word in spelled.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            let plain = String(word).unicodeScalars.map { self.plain($0) }.joined().filter { $0.isASCII }
            guard !plain.isEmpty else { continue }
            guard id.count + plain.count < 48 else { return id.isEmpty ? String(plain.prefix(48)) : id }
            id += (id.isEmpty ? "" : "-") + plain
        }
        return id
    }

    /// An id that differs from a text as little as possible: letters, digits, dots, hyphens and underscores; empty if none are in it.
    static func id(like text: String) -> String {
        if let name = try? ValueText.name(text) { return name }
        var id = ""
        for character in text {
            if character.isASCII, character.isLetter || character.isNumber || "._-".contains(character) {
                id.append(character)
            } else {
                let letters = character.unicodeScalars.map { plain($0) }.joined().filter { $0.isASCII }
                if !letters.isEmpty { id += letters } else if !id.isEmpty, id.last != "-" { id.append("-") }
            }
        }
        let start = id.drop { "._-".contains($0) }.prefix(64)
        return String(start.reversed().drop { "._-".contains($0) }.reversed())
    }
}
