// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The announcements of a region, and the minimum time between them.
package struct AnnouncementRule: Hashable, Sendable {
    /// The text on entering; `nil` for none.
    package var hello: String?
    /// The text on leaving; `nil` for none.
    package var goodbye: String?
    /// The minimum time between two hellos, and between two goodbyes; `nil` for none.
    package var atMostOncePer: Duration?

    package init(hello: String? = nil, goodbye: String? = nil, atMostOncePer: Duration? = nil) {
        self.hello = hello
        self.goodbye = goodbye
        self.atMostOncePer = atMostOncePer
    }
}

/// A text to announce.
package struct Announcement: Hashable, Sendable {
    /// The kinds of announcements.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A hello, on entering.
        case hello
        /// A goodbye, on leaving.
        case goodbye
    }

    /// The region's identifier.
    package let region: String
    /// Which of its texts.
    package let kind: Kind
    /// The text.
    package let text: String
    /// When it is due.
    package let time: Duration

    package init(region: String, kind: Kind, text: String, time: Duration) {
        self.region = region
        self.kind = kind
        self.text = text
        self.time = time
    }
}

/// Turns the events of a region monitor into announcements, by each region's rule.
///
/// Not every change of state is announced: a visitor at the edge of a region should not be greeted each time. Hellos and
/// goodbyes are limited separately. There is no goodbye for a region that is outside at the start.
package struct Announcer: Sendable {
    /// An announcement that was made; the last of each region and kind is remembered.
    package struct Memory: Hashable, Sendable {
        /// The region's identifier.
        package let region: String
        /// Which of its texts.
        package let kind: Announcement.Kind

        /// The text of this kind of a region.
        package init(region: String, kind: Announcement.Kind) {
            self.region = region
            self.kind = kind
        }
    }

    /// The rules by the identifiers of their regions.
    package var rules: [String: AnnouncementRule] {
        didSet { lastSaid = lastSaid.filter { rules[$0.key.region] != nil } }
    }
    /// When each announcement was last made. To save it for a restart, convert the times to another clock.
    package private(set) var lastSaid: [Memory: Duration]

    /// An announcer with these rules.
    /// - Parameter lastSaid: when each announcement was last made; negative before the start.
    package init(_ rules: [String: AnnouncementRule], lastSaid: [Memory: Duration] = [:]) {
        self.rules = rules
        self.lastSaid = lastSaid.filter { rules[$0.key.region] != nil }
    }

    /// The announcement for an event; `nil` if there is none, or if the last one is too recent.
    package mutating func announce(_ event: RegionEvent) -> Announcement? {
        let identifier = event.region.identifier
        guard let rule = rules[identifier] else { return nil }
        let kind: Announcement.Kind
        let text: String?
        switch event.kind {
        case .entered: (kind, text) = (.hello, rule.hello)
        case .exited: (kind, text) = (.goodbye, rule.goodbye)
        case .determined: return nil
        }
        guard let text, !text.isEmpty else { return nil }
        let memory = Memory(region: identifier, kind: kind)
        if let pause = rule.atMostOncePer, let last = lastSaid[memory], event.time - last < pause { return nil }
        lastSaid[memory] = event.time
        return Announcement(region: identifier, kind: kind, text: text, time: event.time)
    }
}
