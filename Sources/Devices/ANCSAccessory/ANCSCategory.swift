// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a notification is about.
package struct ANCSCategory: Hashable, Sendable {
    /// The octet on the wire.
    package let rawValue: UInt8
    /// Any octet, known or not.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Anything else.
    package static let other = ANCSCategory(rawValue: 0)
    /// A call that comes in.
    package static let incomingCall = ANCSCategory(rawValue: 1)
    /// A call that nobody took.
    package static let missedCall = ANCSCategory(rawValue: 2)
    /// A message on the answering machine.
    package static let voicemail = ANCSCategory(rawValue: 3)
    /// Something of a social network, or a text message.
    package static let social = ANCSCategory(rawValue: 4)

    /// Its name in profiles; `nil` when it is not known.
    package var name: String? { Self.words.indices.contains(Int(rawValue)) ? Self.words[Int(rawValue)].name : nil }

    /// What a display with little room writes for it.
    package var display: String {
        Self.words.indices.contains(Int(rawValue)) ? Self.words[Int(rawValue)].display : "CATEGORY \(rawValue)"
    }

    /// The category of a name in profiles; `nil` when there is none.
    package init?(name: String) {
        guard let index = Self.words.firstIndex(where: { $0.name == name }) else { return nil }
        rawValue = UInt8(index)
    }

    /// All names in profiles.
    package static var names: [String] { words.map(\.name) }

    private static let words: [(name: String, display: String)] = [
        ("other", "OTHER"), ("incoming-call", "CALL"), ("missed-call", "MISSED"), ("voicemail", "VMAIL"),
        ("social", "SOCIAL"), ("schedule", "SCHEDULE"), ("email", "EMAIL"), ("news", "NEWS"), ("health", "HEALTH"),
        ("business", "BUSINESS"), ("location", "LOCATION"), ("entertainment", "FUN"),
    ]
}
