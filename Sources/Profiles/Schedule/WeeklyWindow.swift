// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// A time of the day in which a beacon is on, on some days of the week, in local time.
package struct WeeklyWindow: Hashable, Sendable {
    private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let minutesPerDay = 1440
    private static let secondsPerDay: Int64 = 86_400

    /// The days on which it begins, from Monday on.
    private let days: [Bool]
    /// In minutes since midnight, 0 to 1439.
    private let start: Int
    /// In minutes since the midnight at the beginning of that day, after the start; beyond 1440 on the next day.
    private let end: Int

    /// Reads `09:00-17:00`, `mon-fri 09:00-17:00` or `sat,sun 22:00-02:00`, which ends on the next day.
    package init(_ text: String) throws(ValueFault) {
        let fault = ValueFault(
            "\"\(text)\" is not a time of the day; write 09:00-17:00, mon-fri 09:00-17:00, or sat,sun 22:00-02:00")
        let words = text.split(separator: " ")
        let times = words.last?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard 1...2 ~= words.count, times.count == 2, let start = Self.minutes(times[0]),
            let end = Self.minutes(times[1]), start < Self.minutesPerDay
        else { throw fault }
        if words.count == 2 {
            guard let days = Self.days(words[0]) else { throw fault }
            self.days = days
        } else {
            days = [Bool](repeating: true, count: Self.dayNames.count)
        }
        guard start != end else {
            throw ValueFault("\"\(text)\" is empty; write 00:00-24:00 for the whole day")
        }
        self.start = start
        self.end = end < start ? end + Self.minutesPerDay : end
    }

    /// `HH:MM`, up to `24:00`.
    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { "0"..."9" ~= $0 } }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), minutes < 60
        else { return nil }
        let time = 60 * hours + minutes
        return time <= minutesPerDay ? time : nil
    }

    /// `mon-fri`, or a list such as `mon,wed,fri-sun`.
    private static func days(_ text: Substring) -> [Bool]? {
        var days = [Bool](repeating: false, count: dayNames.count)
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
                dayNames.firstIndex(of: String($0))
            }
            guard 1...2 ~= ends.count, let first = ends[0], let last = ends[ends.count - 1] else { return nil }
            var day = first
            days[day] = true
            // `sat-mon` passes the end of the week.
            while day != last {
                day = (day + 1) % dayNames.count
                days[day] = true
            }
        }
        return days
    }

    /// As `init` reads it.
    package var text: String {
        func time(_ minutes: Int) -> String {
            let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
            return "\(hours < 10 ? "0" : "")\(hours):\(rest < 10 ? "0" : "")\(rest)"
        }
        let times = "\(time(start))-\(time(end > Self.minutesPerDay ? end - Self.minutesPerDay : end))"
        guard days.contains(false) else { return times }
        return zip(Self.dayNames, days).filter(\.1).map(\.0).joined(separator: ",") + " " + times
    }

    /// Whether it contains a moment.
    /// - Parameter local: the time of the clock on the wall, in seconds since its 1 January 1970.
    func contains(_ local: Int64) -> Bool {
        let today = Self.day(of: local)
        return [today - 1, today].contains { day in edges(of: day).map { $0 <= local && local < $1 } ?? false }
    }

    /// Its next start or end after a moment, as `contains` takes it.
    func nextEdge(after local: Int64) -> Int64? {
        let today = Self.day(of: local)
        // A window that is on one day of the week began up to eight days before its next start.
        let near = (today - 1...today + 7).compactMap { edges(of: $0) }
        return near.flatMap { [$0.0, $0.1] }.filter { $0 > local }.min()
    }

    /// Its start and end on a day, counted since 1970; `nil` if it does not begin on that day.
    private func edges(of day: Int64) -> (Int64, Int64)? {
        // 1 January 1970 was a Thursday.
        let weekday = Int((day % 7 + 7 + 3) % 7)
        guard days[weekday] else { return nil }
        let midnight = day * Self.secondsPerDay
        return (midnight + Int64(start) * 60, midnight + Int64(end) * 60)
    }

    private static func day(of local: Int64) -> Int64 {
        let (day, second) = local.quotientAndRemainder(dividingBy: secondsPerDay)
        return second < 0 ? day - 1 : day
    }
}
