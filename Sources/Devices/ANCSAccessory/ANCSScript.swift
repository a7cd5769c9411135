// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The notifications of an emulated phone over time.
package struct ANCSScript: Hashable, Sendable {
    /// An event on the phone.
    package enum Event: Hashable, Sendable {
        /// The notification with this name is added, or modified if it exists.
        case post(String, ANCSNotification)
        /// The notification with this name is removed.
        case remove(String)
        /// The notification service is removed or added again.
        case setService(isPresent: Bool)
    }

    /// An event and its time.
    package struct Step: Hashable, Sendable {
        /// The time since the first subscription of an accessory; `nil` for notifications that exist before.
        package var time: Duration?
        /// The event.
        package var event: Event

        /// A step.
        package init(at time: Duration?, _ event: Event) {
            self.time = time
            self.event = event
        }
    }

    /// The steps, in any order.
    package var steps: [Step]
    /// The names of apps by their identifiers.
    package var apps: [String: String]

    /// A script.
    package init(steps: [Step] = [], apps: [String: String] = [:]) {
        self.steps = steps
        self.apps = apps
    }
}

/// A notification of an emulated phone.
package struct ANCSNotification: Hashable, Sendable {
    /// The category.
    package var category: ANCSCategory
    /// The flags `silent` and `important`; the others are derived.
    package var flags: ANCSNotificationEvent.Flags
    /// The identifier of the app.
    package var app: String
    /// The title.
    package var title: String
    /// The subtitle.
    package var subtitle: String
    /// The message.
    package var message: String
    /// The date, as `yyyyMMdd'T'HHmmSS`; `nil` for the time when the notification is added.
    package var date: String?
    /// The label of the positive action; `nil` if there is no such action.
    package var positiveLabel: String?
    /// The label of the negative action; `nil` if there is no such action.
    package var negativeLabel: String?
    /// Whether the actions fail.
    package var actionsFail: Bool

    /// A notification; attributes are empty by default.
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

    /// The flags in events, without `preExisting`.
    var eventFlags: ANCSNotificationEvent.Flags {
        var flags = flags.intersection([.silent, .important])
        if positiveLabel != nil { flags.insert(.positiveAction) }
        if negativeLabel != nil { flags.insert(.negativeAction) }
        return flags
    }

    /// The requested attribute, truncated to its maximum length; `nil` if notifications have no such attribute.
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
        return ANCSAttribute(request.identifier.rawValue, value: Self.bytes(of: text, atMost: limit))
    }

    /// The UTF-8 of the characters that fit completely.
    private static func bytes(of text: String, atMost limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let next = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            guard bytes.count + next.count <= limit else { break }
            bytes += next
        }
        return bytes
    }

    /// A time since 1970 in the format of notifications, in UTC: `20140512T093015`.
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

    /// The Gregorian date of a day since 1 January 1970. The calendar repeats every 400 years, which are 146,097 days.
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
