// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// What a spreadsheet has in the place of a value.
enum ListGap {
    /// Whether a text is an error of a formula: `#REF!`, `#N/A`, in any language, `Err:502`, or a column that was too narrow.
    static func isFormulaError(_ text: String) -> Bool {
        if text.wholeMatch(of: /Err:[0-9]+|#+/) != nil { return true }
        guard text.hasPrefix("#"), text.count <= 16 else { return false }
        // In German, French, Spanish and Italian, what is not available has no exclamation mark.
        return text.hasSuffix("!") || text.hasSuffix("?") || ["#N/A", "#NV", "#N/D", "#N/DISP", "#NA"].contains(text)
    }

    private static let nothing: Set = [
        "-", "--", "–", "—", "?", ".", "n/a", "na", "nan", "null", "nil", "none", "(null)", "(none)", "k.a.", "tbd",
    ]

    /// Whether a text stands for no value.
    static func isNothing(_ text: String) -> Bool {
        text.isEmpty || nothing.contains(text.lowercased())
    }

    /// Whether a text is a date or a time, as spreadsheets make them of texts such as 1-2.
    static func isDate(_ text: String) -> Bool {
        guard text.count <= 32, text.contains(where: \.isNumber) else { return false }
        let text = text.lowercased()
        if text.first?.isNumber == true {
            let forms = [
                /[0-9]{1,2}[.\/-][0-9]{1,2}[.\/-](?:[0-9]{4}|[0-9]{2})(?: .*)?/,
                /[0-9]{4}[.\/-][0-9]{1,2}[.\/-][0-9]{1,2}(?:[t ].*)?/,
                /[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: [ap]m)?/,
            ]
            if forms.contains(where: { text.wholeMatch(of: $0) != nil }) { return true }
        }
        // The name of a month, and one or two numbers.
        let words = text.split { !$0.isLetter && !$0.isNumber }
        guard 2...3 ~= words.count else { return false }
        let names = words.filter { $0.allSatisfy(\.isLetter) }
        return names.count == 1 && months.contains(String(names[0]))
            && words.filter { $0.allSatisfy(\.isNumber) }.count == words.count - 1
    }

    /// The short names of months, in languages of Europe.
    private static let months: Set = [
        "jan", "feb", "mar", "mär", "mrz", "apr", "may", "mai", "jun", "jul", "aug", "sep", "sept", "oct", "okt", "nov",
        "dec", "dez",
        "janv", "févr", "mars", "avr", "juin", "juil", "août", "déc", "ene", "abr", "ago", "dic", "gen", "mag", "giu",
        "lug", "set", "ott",
    ]
}

/// Numbers as spreadsheets write them: `1,5`, `1.234,5`, `4711.0`, `1e3`, `1 234`, `0x1F`, `−59`.
///
/// One mark with three digits behind it, as in `1.234`, is a decimal mark or one of thousands: the other numbers of the list decide.
struct ListNumbers: Sendable {
    enum Mark: Sendable {
        case point, comma

        fileprivate var character: Character { self == .point ? "." : "," }
    }

    /// The decimal mark of the list; `nil` if no number shows it.
    let mark: Mark?

    /// - Parameters:
    ///   - texts: the values of columns with numbers.
    ///   - separator: what is between the values of the list: a semicolon is there where the comma is the decimal mark.
    init(_ texts: some Sequence<String>, separator: UInt8?) {
        var (points, commas) = (0, 0)
        for text in texts {
            switch Self.evidence(Self.plain(text)) {
            case .point?: points += 1
            case .comma?: commas += 1
            case nil: break
            }
        }
        if points != commas {
            mark = points > commas ? .point : .comma
        } else {
            mark = separator == 0x3B ? .comma : separator == 0x2C ? .point : nil
        }
    }

    /// The decimal mark that a number shows by itself.
    private static func evidence(_ text: String) -> Mark? {
        guard let last = text.lastIndex(where: { $0 == "." || $0 == "," }), text.contains(where: \.isNumber) else {
            return nil
        }
        let mark: Mark = text[last] == "." ? .point : .comma
        let others = text[..<last].filter { $0 == "." || $0 == "," }
        if others.contains(where: { $0 != mark.character }) { return mark }
        guard others.isEmpty else { return nil }
        return isThousands(text, at: last) ? nil : mark
    }

    /// Whether a mark may be one of thousands: one to three digits before it, no zero alone, and three behind it.
    private static func isThousands(_ text: String, at place: String.Index) -> Bool {
        let before = text[..<place].drop { $0 == "-" || $0 == "+" }
        let after = text[text.index(after: place)...]
        return 1...3 ~= before.count && before.first != "0" && before.allSatisfy(\.isNumber) && after.count == 3
            && after.allSatisfy(\.isNumber)
    }

    /// A text without what spreadsheets add to numbers: blanks and apostrophes between digits, other signs and digits, `="12"`.
    static func plain(_ text: String) -> String {
        var text = text
        if text.hasPrefix("=\""), text.hasSuffix("\""), text.count > 3 { text = String(text.dropFirst(2).dropLast()) }
        if text.hasPrefix("'") { text.removeFirst() }
        var plain = ""
        for character in text {
            if let scalar = character.unicodeScalars.first, ListWords.isSpace(scalar) || "'’".contains(character) {
                // Between digits only: 2 m has a unit, and 8' as well.
                if plain.last?.isNumber == true { plain.append(" ") }
            } else if "\u{2212}\u{2010}\u{2011}\u{2012}\u{2013}\u{FE63}\u{FF0D}".contains(character) {
                plain.append("-")
            } else if let digit = character.wholeNumberValue, 0...9 ~= digit, character.isNumber, !character.isASCII {
                plain.append("\(digit)")
            } else {
                if character.isNumber, plain.last == " " { plain.removeLast() }
                plain.append(character)
            }
        }
        return plain.replacing(" ", with: "")
    }

    /// A number in decimal notation, with or without an exponent.
    /// - Parameter isWhole: Whether only a whole number has a meaning: a mark that would make it another one is one of thousands.
    func number(_ text: String, isWhole: Bool = false) -> Double? {
        let text = Self.plain(text)
        guard let decimal = decimal(text, isWhole: isWhole) else { return nil }
        // Swift also reads 0x10 and nan as numbers.
        let isDecimal = decimal.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        guard isDecimal, let value = Double(decimal), value.isFinite else { return nil }
        return value
    }

    /// The text with a point as the decimal mark, and without other marks; `nil` if the marks have no meaning.
    private func decimal(_ text: String, isWhole: Bool) -> String? {
        let marks = text.filter { $0 == "." || $0 == "," }
        guard let last = text.lastIndex(where: { $0 == "." || $0 == "," }) else { return text }
        let lastMark = text[last]
        let others = marks.dropLast()
        if others.isEmpty {
            let after = text[text.index(after: last)...]
            let thousands = String(text[..<last]) + after
            let isFraction = lastMark == "." ? mark != .comma : mark != .point
            guard Self.isThousands(text, at: last) else { return "\(text[..<last]).\(after)" }
            if isFraction, !(isWhole && after != "000") { return "\(text[..<last]).\(after)" }
            return thousands
        }
        // The same mark several times is one of thousands; another one before the last is, too.
        if others.allSatisfy({ $0 == lastMark }) {
            return Self.hasGroups(text, lastMark) ? text.filter { $0 != lastMark } : nil
        }
        guard others.allSatisfy({ $0 != lastMark }), let other = others.first else { return nil }
        let whole = String(text[..<last])
        guard Self.hasGroups(whole, other) else { return nil }
        return whole.filter { $0 != other } + "." + text[text.index(after: last)...]
    }

    /// Whether all groups behind marks have three digits.
    private static func hasGroups(_ text: String, _ mark: Character) -> Bool {
        text.split(separator: mark, omittingEmptySubsequences: false).dropFirst().allSatisfy {
            $0.count == 3 && $0.allSatisfy(\.isNumber)
        }
    }

    /// A whole number, also hexadecimal with `0x`, `h` or `$`.
    /// - Parameter isHexadecimal: Whether digits alone are hexadecimal.
    func whole(_ text: String, isHexadecimal: Bool = false) -> Int? {
        let plain = Self.plain(text)
        if let digits = Self.hexadecimal(plain) { return Int(digits, radix: 16) }
        if isHexadecimal { return plain.count <= 8 && plain.allSatisfy(\.isHexDigit) ? Int(plain, radix: 16) : nil }
        return number(text, isWhole: true).flatMap { Int(exactly: $0) }
    }

    /// The digits of a number that is marked as hexadecimal.
    private static func hexadecimal(_ text: String) -> Substring? {
        var digits = text[...]
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            digits = digits.dropFirst(2)
        } else if text.hasPrefix("$") {
            digits = digits.dropFirst()
        } else if text.hasSuffix("h") || text.hasSuffix("H") {
            digits = digits.dropLast()
        } else {
            return nil
        }
        return 1...8 ~= digits.count && digits.allSatisfy { $0.isASCII && $0.isHexDigit } ? digits : nil
    }

    /// Whether the numbers of a column are hexadecimal digits without a mark: one has a letter that is not an exponent, and all have at
    /// most four digits.
    static func areHexadecimal(_ texts: [String]) -> Bool {
        let texts = texts.filter { !ListGap.isNothing($0) && !ListGap.isFormulaError($0) }
        return texts.contains { $0.contains(where: \.isLetter) && $0.wholeMatch(of: /[0-9]+[eE][0-9]+/) == nil }
            && texts.allSatisfy { 1...4 ~= $0.count && $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
    }
}

/// Units of values in lists.
enum ListUnit {
    /// How many metres a unit has.
    static let metres: [String: Double] = [
        "mm": 0.001, "millimeter": 0.001, "millimetre": 0.001, "millimeters": 0.001, "millimetres": 0.001,
        "cm": 0.01, "centimeter": 0.01, "centimetre": 0.01, "centimeters": 0.01, "centimetres": 0.01,
        "zentimeter": 0.01,
        "dm": 0.1, "m": 1, "meter": 1, "metre": 1, "meters": 1, "metres": 1, "mtr": 1, "metri": 1, "metros": 1,
        "km": 1000, "in": 0.0254, "inch": 0.0254, "inches": 0.0254, "zoll": 0.0254, "\"": 0.0254, "″": 0.0254,
        "ft": 0.3048, "feet": 0.3048, "foot": 0.3048, "fuss": 0.3048, "'": 0.3048, "′": 0.3048, "yd": 0.9144,
        "yards": 0.9144,
    ]
    /// How many milliseconds a unit has.
    static let milliseconds: [String: Double] = [
        "ms": 1, "msec": 1, "millis": 1, "millisecond": 1, "milliseconds": 1, "millisekunden": 1, "s": 1000,
        "sec": 1000, "secs": 1000,
        "second": 1000, "seconds": 1000, "sek": 1000, "sekunden": 1000, "ticks": 0.625, "tick": 0.625,
    ]
    /// Of powers, which have no other.
    static let powers: Set = ["dbm", "db"]
    static let hexadecimal: Set = ["hex", "hexadecimal", "0x"]
    static let decimal: Set = ["dec", "decimal"]

    /// Whether a word is a unit in the name of a column.
    static func isUnit(_ word: String) -> Bool {
        metres[word] != nil || milliseconds[word] != nil || powers.contains(word) || hexadecimal.contains(word)
            || decimal.contains(word)
    }

    /// The number and the unit behind it, in small letters; an empty number for a text that begins with none.
    static func split(_ text: String) -> (number: String, unit: String) {
        let characters = Array(text)
        var end = 0
        for (index, character) in characters.enumerated() {
            if character.isNumber { end = index + 1 } else if !isPart(character) { break }
        }
        // An exponent: an e with digits, and a sign between them or not.
        if end > 0, end < characters.count, characters[end] == "e" || characters[end] == "E" {
            let digits = characters[(end + 1)...].drop { "+-−".contains($0) }
            let count = digits.prefix { $0.isNumber }.count
            if count > 0, digits.startIndex - end <= 2 { end = digits.startIndex + count }
        }
        return (String(characters[..<end]), ListWords.trimmed(String(characters[end...])).lowercased())
    }

    private static func isPart(_ character: Character) -> Bool {
        "+-.,−'’".contains(character) || character.unicodeScalars.allSatisfy { ListWords.isSpace($0) }
    }

    /// Metres of feet and inches, `8' 6"` or `8 ft 6 in`; `nil` for other texts.
    static func feetAndInches(_ text: String) -> Double? {
        guard text.contains(where: { "'′f".contains($0) }),
            let match = text.lowercased().wholeMatch(
                of: /(-?[0-9]+) ?(?:'|′|ft) ?([0-9]+(?:[.,][0-9]+)?) ?(?:"|″|''|in)/),
            let feet = Double(match.1), let inches = Double(match.2.replacing(",", with: "."))
        else { return nil }
        return (abs(feet) * 12 + inches) * 0.0254 * (match.1.hasPrefix("-") ? -1 : 1)
    }
}
