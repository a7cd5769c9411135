// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A value of the notification source: that a notification came, changed or went.
package struct ANCSNotificationEvent: Hashable, Sendable {
    /// What happened.
    package struct Kind: Hashable, Sendable {
        /// The octet on the wire.
        package let rawValue: UInt8
        /// Any octet, known or not.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It is new, or was there when the session began.
        package static let added = Kind(rawValue: 0)
        /// It is another one under the same identifier.
        package static let modified = Kind(rawValue: 1)
        /// It is gone.
        package static let removed = Kind(rawValue: 2)
    }

    /// How it should be shown, and what can be done with it.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It makes no noise.
        package static let silent = Flags(rawValue: 0x01)
        /// It matters.
        package static let important = Flags(rawValue: 0x02)
        /// It was there before the session began.
        package static let preExisting = Flags(rawValue: 0x04)
        /// A positive action can be performed, such as taking a call.
        package static let positiveAction = Flags(rawValue: 0x08)
        /// A negative action can be performed, such as refusing a call.
        package static let negativeAction = Flags(rawValue: 0x10)
    }

    /// What happened.
    package var kind: Kind
    /// Flags, known and reserved ones.
    package var flags: Flags
    /// Its category.
    package var category: ANCSCategory
    /// How many notifications of the category there are.
    package var categoryCount: UInt8
    /// Its identifier, of this session only.
    package var notification: UInt32

    /// An event of a notification.
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
    /// Octets on the wire.
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
