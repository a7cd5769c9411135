// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The form of a clock's time, in UTC.
package enum ClockForm: String, Hashable, Sendable, CaseIterable {
    /// Date, time, day of the week, 256ths of a second and the reason of the last adjustment: ten bytes, the value of
    /// characteristic 0x2A2B (GATT Specification Supplement, Current Time).
    case currentTime = "current-time"
    /// Date and time: seven bytes, the value of characteristic 0x2A08 (GATT Specification Supplement, Date Time).
    case dateTime = "date-time"
    /// Seconds since 1970, in the format of the field.
    case unix

    /// The size in bytes; `nil` for the size of the field's format.
    package var size: Int? {
        switch self {
        case .currentTime: 10
        case .dateTime: 7
        case .unix: nil
        }
    }

    /// Date and time of day as text; `nil` when there are too few bytes.
    func text(of octets: [UInt8]) -> String? {
        guard octets.count >= 7 else { return nil }
        func two(_ number: UInt8) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = Int(octets[0]) | Int(octets[1]) << 8
        return "\(year)-\(two(octets[2]))-\(two(octets[3])) \(two(octets[4])):\(two(octets[5])):\(two(octets[6]))"
    }

    func octets(at sinceUnixEpoch: Duration, in format: ValueFormat) -> [UInt8] {
        let seconds = sinceUnixEpoch.components.seconds
        guard self != .unix else { return format.octets(of: Double(seconds)) }
        let days = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1
        let second = seconds - days * 86_400
        let date = CivilDate(daysSinceUnixEpoch: days)
        var writer = ByteWriter()
        writer.writeLittleEndian(UInt16(clamping: date.year))
        for part in [date.month, date.day, second / 3600, second / 60 % 60, second % 60] {
            writer.write(UInt8(clamping: part))
        }
        guard self == .currentTime else { return writer.bytes }
        // 1970 began on a Thursday, and weeks begin with Monday, which is 1.
        writer.write(UInt8(clamping: ((days % 7) + 7 + 3) % 7 + 1))
        // Whole seconds, so that the value changes once a second.
        writer.write([0, 0] as [UInt8])
        return writer.bytes
    }
}

/// A day of the Gregorian calendar.
struct CivilDate: Hashable {
    let year: Int64
    let month: Int64
    let day: Int64

    /// The day that is a number of days after 1 January 1970.
    ///
    /// Years are counted from March, so that a leap day is the last day of a year.
    init(daysSinceUnixEpoch days: Int64) {
        let sinceYearZero = days + 719_468
        let era = (sinceYearZero >= 0 ? sinceYearZero : sinceYearZero - 146_096) / 146_097
        let dayOfEra = sinceYearZero - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}
