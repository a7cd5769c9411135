// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Which of a notification's attributes.
public struct ANCSAttributeIdentifier: Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8
    /// Any octet, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The identifier of the app that it is from.
    public static let appIdentifier = ANCSAttributeIdentifier(rawValue: 0)
    /// The title: of a call, who calls.
    public static let title = ANCSAttributeIdentifier(rawValue: 1)
    /// The line below the title.
    public static let subtitle = ANCSAttributeIdentifier(rawValue: 2)
    /// The text.
    public static let message = ANCSAttributeIdentifier(rawValue: 3)
    /// The octets of the whole text, as a decimal number.
    public static let messageSize = ANCSAttributeIdentifier(rawValue: 4)
    /// When, as `yyyyMMdd'T'HHmmSS`.
    public static let date = ANCSAttributeIdentifier(rawValue: 5)
    /// What the positive action does, for people.
    public static let positiveActionLabel = ANCSAttributeIdentifier(rawValue: 6)
    /// What the negative action does, for people.
    public static let negativeActionLabel = ANCSAttributeIdentifier(rawValue: 7)

    /// Whether a request for it says how long it may be at most.
    public var takesMaximumLength: Bool { 1...3 ~= rawValue }
}

/// That an attribute is wanted.
public struct ANCSAttributeRequest: Hashable, Sendable {
    /// Which.
    public let identifier: ANCSAttributeIdentifier
    /// The octets that it may have at most; `nil` for those that are told whole.
    public let maximumLength: UInt16?

    /// A request for an attribute.
    /// - Parameter maximumLength: counts for the title, the subtitle and the message only.
    public init(_ identifier: ANCSAttributeIdentifier, maximumLength: UInt16 = .max) {
        self.identifier = identifier
        self.maximumLength = identifier.takesMaximumLength ? maximumLength : nil
    }
}

extension ANCSAttributeRequest: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        identifier = ANCSAttributeIdentifier(rawValue: try reader.readUInt8())
        maximumLength = identifier.takesMaximumLength ? try reader.readLittleEndian() : nil
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(identifier.rawValue)
        if let maximumLength { writer.writeLittleEndian(maximumLength) }
    }
}

/// An attribute of a notification or an app, as it is told.
public struct ANCSAttribute: Hashable, Sendable {
    /// The identifier: of a notification's attributes `ANCSAttributeIdentifier`, of an app's 0 for its name.
    public let identifier: UInt8
    /// The value: text in UTF-8 from any phone that does as it should.
    public let value: [UInt8]

    /// An attribute of these octets; what is beyond the 65,535 that can be told is cut off.
    public init(_ identifier: UInt8, value: [UInt8]) {
        self.identifier = identifier
        self.value = Array(value.prefix(Int(UInt16.max)))
    }

    /// The value as text; what is no UTF-8 is replaced.
    public var text: String { String(decoding: value, as: UTF8.self) }
}

extension ANCSAttribute: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        identifier = try reader.readUInt8()
        let length: UInt16 = try reader.readLittleEndian()
        value = Array(try reader.read(count: Int(length)))
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(identifier)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: value.count))
        writer.write(value)
    }
}
