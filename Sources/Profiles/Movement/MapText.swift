// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// The texts of values in files with positions on the globe.
enum MapText {
    /// Degrees from -90 to 90.
    static func latitude(_ text: String) throws(ValueFault) -> Double {
        guard let degrees = number(text), -90...90 ~= degrees else {
            throw ValueFault("\"\(shortened(text))\" is not a latitude from -90 to 90 degrees")
        }
        return degrees
    }

    /// Degrees from -180 to 180.
    static func longitude(_ text: String) throws(ValueFault) -> Double {
        guard let degrees = number(text), -180...180 ~= degrees else {
            throw ValueFault("\"\(shortened(text))\" is not a longitude from -180 to 180 degrees")
        }
        return degrees
    }

    /// Metres above the sea.
    static func elevation(_ text: String) throws(ValueFault) -> Double {
        guard let metres = number(text), abs(metres) <= 100_000 else {
            throw ValueFault("\"\(shortened(text))\" is not an elevation in metres")
        }
        return metres
    }

    /// A date and a time as in RFC 3339, in microseconds since the Unix epoch: `2026-01-31T17:55:00.5Z`. A time without an
    /// offset is UTC.
    static func time(_ text: String) throws(ValueFault) -> Int64 {
        guard let time = microseconds(of: Array(trimmed(text).utf8)) else {
            throw ValueFault("\"\(shortened(text))\" is not a time such as 2026-01-31T17:55:00Z")
        }
        return time
    }

    private static func microseconds(of text: [UInt8]) -> Int64? {
        // YYYY-MM-DDTHH:MM:SS
        guard text.count >= 19, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: "t"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), let year = digits(text[0..<4]), let month = digits(text[5..<7]),
            let day = digits(text[8..<10]), let hour = digits(text[11..<13]), let minute = digits(text[14..<16]),
            let second = digits(text[17..<19]), 1...12 ~= month, 1...days(of: month, year) ~= day, hour < 24,
            minute < 60, second < 60
        else { return nil }
        var rest = text[19...]
        var fraction: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let places = rest.dropFirst().prefix { isDigit($0) }
            guard !places.isEmpty else { return nil }
            // Digits beyond the microsecond are cut.
            guard let value = digits((Array(places) + Array(repeating: UInt8(ascii: "0"), count: 6)).prefix(6)) else {
                return nil
            }
            fraction = value
            rest = rest.dropFirst(1 + places.count)
        }
        guard let offset = offset(Array(rest)) else { return nil }
        let minutes = (daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute - offset
        return (minutes * 60 + second) * 1_000_000 + fraction
    }

    /// An offset from UTC in minutes: nothing, `Z`, `+01:00`.
    private static func offset(_ text: [UInt8]) -> Int64? {
        if text.isEmpty || text == [UInt8(ascii: "Z")] || text == [UInt8(ascii: "z")] { return 0 }
        guard text.count == 6, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
            text[3] == UInt8(ascii: ":"), let hours = digits(text[1..<3]), let minutes = digits(text[4..<6]),
            hours < 24, minutes < 60
        else { return nil }
        let offset = hours * 60 + minutes
        return text[0] == UInt8(ascii: "-") ? -offset : offset
    }

    private static func days(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days from 1970-01-01 to a date of the Gregorian calendar: years begin in March here, so that leap days are last.
    private static func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let monthSinceMarch = (month + 9) % 12
        // 719,468 days are from 0000-03-01 to 1970-01-01.
        let leapDays = floorDivided(shifted, 4) - floorDivided(shifted, 100) + floorDivided(shifted, 400)
        return 365 * shifted + leapDays + (153 * monthSinceMarch + 2) / 5 + day - 1 - 719_468
    }

    private static func floorDivided(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }

    // MARK: - Digits

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func digits(_ text: ArraySlice<UInt8>) -> Int64? {
        guard !text.isEmpty, text.allSatisfy({ isDigit($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// A finite number in decimal notation, with or without an exponent.
    private static func number(_ text: String) -> Double? {
        let text = trimmed(text)
        // Swift also reads 0x10 and nan as numbers.
        let isDecimal = text.utf8.allSatisfy { isDigit($0) || "+-.eE".utf8.contains($0) }
        guard isDecimal, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    private static func trimmed(_ text: String) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        let start = text.drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return start[...end]
    }

    /// A text for messages.
    private static func shortened(_ text: String) -> String { String(text.prefix(64)) }
}
