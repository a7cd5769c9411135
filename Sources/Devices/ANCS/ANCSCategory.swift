// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a notification is about.
public struct ANCSCategory: Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8
    /// Any octet, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Anything else.
    public static let other = ANCSCategory(rawValue: 0)
    /// A call that comes in.
    public static let incomingCall = ANCSCategory(rawValue: 1)
    /// A call that nobody took.
    public static let missedCall = ANCSCategory(rawValue: 2)
    /// A message on the answering machine.
    public static let voicemail = ANCSCategory(rawValue: 3)
    /// Something of a social network, or a text message.
    public static let social = ANCSCategory(rawValue: 4)

    /// Its name in profiles; `nil` when it is not known.
    public var name: String? { Self.words.indices.contains(Int(rawValue)) ? Self.words[Int(rawValue)].name : nil }

    /// What a display with little room writes for it.
    public var display: String {
        Self.words.indices.contains(Int(rawValue)) ? Self.words[Int(rawValue)].display : "CATEGORY \(rawValue)"
    }

    /// The category of a name in profiles; `nil` when there is none.
    public init?(name: String) {
        guard let index = Self.words.firstIndex(where: { $0.name == name }) else { return nil }
        rawValue = UInt8(index)
    }

    /// All names in profiles.
    public static var names: [String] { words.map(\.name) }

    private static let words: [(name: String, display: String)] = [
        ("other", "OTHER"), ("incoming-call", "CALL"), ("missed-call", "MISSED"), ("voicemail", "VMAIL"),
        ("social", "SOCIAL"), ("schedule", "SCHEDULE"), ("email", "EMAIL"), ("news", "NEWS"), ("health", "HEALTH"),
        ("business", "BUSINESS"), ("location", "LOCATION"), ("entertainment", "FUN"),
    ]
}
