// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// Which of a notification's attributes.
package struct ANCSAttributeIdentifier: Hashable, Sendable {
    /// The octet on the wire.
    package let rawValue: UInt8
    /// Any octet, known or not.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The identifier of the app that it is from.
    package static let appIdentifier = ANCSAttributeIdentifier(rawValue: 0)
    /// The title: of a call, who calls.
    package static let title = ANCSAttributeIdentifier(rawValue: 1)
    /// The line below the title.
    package static let subtitle = ANCSAttributeIdentifier(rawValue: 2)
    /// The text.
    package static let message = ANCSAttributeIdentifier(rawValue: 3)
    /// The octets of the whole text, as a decimal number.
    package static let messageSize = ANCSAttributeIdentifier(rawValue: 4)
    /// When, as `yyyyMMdd'T'HHmmSS`.
    package static let date = ANCSAttributeIdentifier(rawValue: 5)
    /// What the positive action does, for people.
    package static let positiveActionLabel = ANCSAttributeIdentifier(rawValue: 6)
    /// What the negative action does, for people.
    package static let negativeActionLabel = ANCSAttributeIdentifier(rawValue: 7)

    /// Whether a request for it says how long it may be at most.
    package var takesMaximumLength: Bool { 1...3 ~= rawValue }
}

/// That an attribute is wanted.
package struct ANCSAttributeRequest: Hashable, Sendable {
    /// Which.
    package let identifier: ANCSAttributeIdentifier
    /// The octets that it may have at most; `nil` for those that are told whole.
    package let maximumLength: UInt16?

    /// A request for an attribute.
    /// - Parameter maximumLength: counts for the title, the subtitle and the message only.
    package init(_ identifier: ANCSAttributeIdentifier, maximumLength: UInt16 = .max) {
        self.identifier = identifier
        self.maximumLength = identifier.takesMaximumLength ? maximumLength : nil
    }
}

extension ANCSAttributeRequest: WireCodable {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        identifier = ANCSAttributeIdentifier(rawValue: try reader.readUInt8())
        maximumLength = identifier.takesMaximumLength ? try reader.readLittleEndian() : nil
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(identifier.rawValue)
        if let maximumLength { writer.writeLittleEndian(maximumLength) }
    }
}

/// An attribute of a notification or an app, as it is told.
package struct ANCSAttribute: Hashable, Sendable {
    /// The identifier: of a notification's attributes `ANCSAttributeIdentifier`, of an app's 0 for its name.
    package let identifier: UInt8
    /// The value: text in UTF-8 from any phone that does as it should.
    package let value: [UInt8]

    /// An attribute of these octets; what is beyond the 65,535 that can be told is cut off.
    package init(_ identifier: UInt8, value: [UInt8]) {
        self.identifier = identifier
        self.value = Array(value.prefix(Int(UInt16.max)))
    }

    /// The value as text; what is no UTF-8 is replaced.
    package var text: String { String(decoding: value, as: UTF8.self) }
}

extension ANCSAttribute: WireCodable {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        identifier = try reader.readUInt8()
        let length: UInt16 = try reader.readLittleEndian()
        value = Array(try reader.read(count: Int(length)))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(identifier)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: value.count))
        writer.write(value)
    }
}
