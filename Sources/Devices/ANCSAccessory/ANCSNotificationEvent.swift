// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A value of the notification source: a notification was added, modified or removed.
package struct ANCSNotificationEvent: Hashable, Sendable {
    /// The kind of the event.
    package struct Kind: Hashable, Sendable {
        /// The byte on the wire.
        package let rawValue: UInt8
        /// A kind, known or reserved.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The notification is new, or existed before the session.
        package static let added = Kind(rawValue: 0)
        /// The notification changed.
        package static let modified = Kind(rawValue: 1)
        /// The notification was removed.
        package static let removed = Kind(rawValue: 2)
    }

    /// The flags of a notification.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The notification makes no sound.
        package static let silent = Flags(rawValue: 0x01)
        /// The notification is important.
        package static let important = Flags(rawValue: 0x02)
        /// The notification existed before the session.
        package static let preExisting = Flags(rawValue: 0x04)
        /// The notification has a positive action, such as answering a call.
        package static let positiveAction = Flags(rawValue: 0x08)
        /// The notification has a negative action, such as declining a call.
        package static let negativeAction = Flags(rawValue: 0x10)
    }

    /// The kind of the event.
    package var kind: Kind
    /// The flags, known and reserved.
    package var flags: Flags
    /// The category.
    package var category: ANCSCategory
    /// The number of notifications in the category.
    package var categoryCount: UInt8
    /// The identifier of the notification, valid in this session.
    package var notification: UInt32

    /// An event.
    package init(
        _ kind: Kind, notification: UInt32, category: ANCSCategory, categoryCount: UInt8 = 1, flags: Flags = []
    ) {
        self.kind = kind
        self.flags = flags
        self.category = category
        self.categoryCount = categoryCount
        self.notification = notification
    }
}

extension ANCSNotificationEvent: WireCodable {
    /// The length on the wire, in bytes.
    package static let size = 8

    package init(parsing reader: inout ByteReader) throws(WireError) {
        kind = Kind(rawValue: try reader.readUInt8())
        flags = Flags(rawValue: try reader.readUInt8())
        category = ANCSCategory(rawValue: try reader.readUInt8())
        categoryCount = try reader.readUInt8()
        notification = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(kind.rawValue)
        writer.write(flags.rawValue)
        writer.write(category.rawValue)
        writer.write(categoryCount)
        writer.writeLittleEndian(notification)
    }
}

/// The category of a notification.
package struct ANCSCategory: Hashable, Sendable {
    /// The byte on the wire.
    package let rawValue: UInt8
    /// A category, known or reserved.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A category without a name of its own.
    package static let other = ANCSCategory(rawValue: 0)
    /// An incoming call.
    package static let incomingCall = ANCSCategory(rawValue: 1)
    /// A missed call.
    package static let missedCall = ANCSCategory(rawValue: 2)
    /// A voicemail.
    package static let voicemail = ANCSCategory(rawValue: 3)
    /// A social network or a text message.
    package static let social = ANCSCategory(rawValue: 4)

    /// The name in profiles; `nil` for reserved categories.
    package var name: String? { Self.words.indices.contains(Int(rawValue)) ? Self.words[Int(rawValue)].name : nil }

    /// The short word on a small display.
    package var display: String {
        Self.words.indices.contains(Int(rawValue)) ? Self.words[Int(rawValue)].display : "CATEGORY \(rawValue)"
    }

    /// The category with a name in profiles; `nil` for other names.
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
