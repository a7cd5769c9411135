// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// A value of the notification source: that a notification came, changed or went.
public struct ANCSNotificationEvent: Hashable, Sendable {
    /// What happened.
    public struct Kind: Hashable, Sendable {
        /// The octet on the wire.
        public let rawValue: UInt8
        /// Any octet, known or not.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It is new, or was there when the session began.
        public static let added = Kind(rawValue: 0)
        /// It is another one under the same identifier.
        public static let modified = Kind(rawValue: 1)
        /// It is gone.
        public static let removed = Kind(rawValue: 2)
    }

    /// How it should be shown, and what can be done with it.
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It makes no noise.
        public static let silent = Flags(rawValue: 0x01)
        /// It matters.
        public static let important = Flags(rawValue: 0x02)
        /// It was there before the session began.
        public static let preExisting = Flags(rawValue: 0x04)
        /// A positive action can be performed, such as taking a call.
        public static let positiveAction = Flags(rawValue: 0x08)
        /// A negative action can be performed, such as refusing a call.
        public static let negativeAction = Flags(rawValue: 0x10)
    }

    /// What happened.
    public var kind: Kind
    /// Flags, known and reserved ones.
    public var flags: Flags
    /// Its category.
    public var category: ANCSCategory
    /// How many notifications of the category there are.
    public var categoryCount: UInt8
    /// Its identifier, of this session only.
    public var notification: UInt32

    /// An event of a notification.
    public init(
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
    /// Octets on the wire.
    public static let size = 8

    public init(parsing reader: inout ByteReader) throws(WireError) {
        kind = Kind(rawValue: try reader.readUInt8())
        flags = Flags(rawValue: try reader.readUInt8())
        category = ANCSCategory(rawValue: try reader.readUInt8())
        categoryCount = try reader.readUInt8()
        notification = try reader.readLittleEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(kind.rawValue)
        writer.write(flags.rawValue)
        writer.write(category.rawValue)
        writer.write(categoryCount)
        writer.writeLittleEndian(notification)
    }
}
