// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A notification as a phone has it.
package struct ANCSNotification: Hashable, Sendable {
    /// What it is about.
    package var category: ANCSCategory
    /// Whether it makes no noise, and whether it matters; other flags follow from the rest.
    package var flags: ANCSNotificationEvent.Flags
    /// The identifier of the app that it is from.
    package var app: String
    /// The title.
    package var title: String
    /// The line below the title.
    package var subtitle: String
    /// The text.
    package var message: String
    /// When, as `yyyyMMdd'T'HHmmSS`; `nil` for the moment when it comes.
    package var date: String?
    /// What can be done with it, for people; `nil` where there is no such action.
    package var positiveLabel: String?
    /// What else can be done with it.
    package var negativeLabel: String?
    /// Whether its actions fail.
    package var actionsFail: Bool

    /// A notification without anything that is left out.
    package init(
        category: ANCSCategory, flags: ANCSNotificationEvent.Flags = [], app: String = "", title: String = "",
        subtitle: String = "", message: String = "", date: String? = nil, positiveLabel: String? = nil,
        negativeLabel: String? = nil, actionsFail: Bool = false
    ) {
        self.category = category
        self.flags = flags
        self.app = app
        self.title = title
        self.subtitle = subtitle
        self.message = message
        self.date = date
        self.positiveLabel = positiveLabel
        self.negativeLabel = negativeLabel
        self.actionsFail = actionsFail
    }

    /// All flags as they are told.
    var toldFlags: ANCSNotificationEvent.Flags {
        var flags = flags.intersection([.silent, .important])
        if positiveLabel != nil { flags.insert(.positiveAction) }
        if negativeLabel != nil { flags.insert(.negativeAction) }
        return flags
    }

    /// An attribute as it is told, in at most so many octets; `nil` for one that notifications do not have.
    func attribute(_ request: ANCSAttributeRequest) -> ANCSAttribute? {
        let text: String
        switch request.identifier {
        case .appIdentifier: text = app
        case .title: text = title
        case .subtitle: text = subtitle
        case .message: text = message
        case .messageSize: text = "\(message.utf8.count)"
        case .date: text = date ?? ""
        case .positiveActionLabel: text = positiveLabel ?? ""
        case .negativeActionLabel: text = negativeLabel ?? ""
        default: return nil
        }
        let limit = Int(request.maximumLength ?? .max)
        return ANCSAttribute(request.identifier.rawValue, value: Self.octets(of: text, atMost: limit))
    }

    /// The characters that fit whole.
    private static func octets(of text: String, atMost limit: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for scalar in text.unicodeScalars {
            let next = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            guard octets.count + next.count <= limit else { break }
            octets += next
        }
        return octets
    }

    /// A time of day since 1970 in UTC as notifications have it: `20140512T093015`.
    static func date(sinceUnixEpoch time: Duration) -> String {
        let seconds = time.components.seconds
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, monthDay) = civil(day: Int(day))
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = "\(max(0, number))"
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(Int64(year), 4) + digits(Int64(month), 2) + digits(Int64(monthDay), 2) + "T"
            + digits(second / 3600, 2) + digits(second / 60 % 60, 2) + digits(second % 60, 2)
    }

    /// The date of a day since 1 January 1970, in the Gregorian calendar, which repeats itself every 400 years.
    private static func civil(day: Int) -> (year: Int, month: Int, day: Int) {
        var rest = max(0, min(day, 2_900_000))
        var year = 1970
        func isLeap(_ year: Int) -> Bool {
            year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        }
        year += rest / 146_097 * 400
        rest %= 146_097
        while rest >= (isLeap(year) ? 366 : 365) {
            rest -= isLeap(year) ? 366 : 365
            year += 1
        }
        var month = 1
        for length in [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            guard rest >= length else { break }
            rest -= length
            month += 1
        }
        return (year, month, rest + 1)
    }
}
