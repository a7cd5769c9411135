// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A command that an accessory writes to the control point.
package enum ANCSCommand: Hashable, Sendable {
    /// Request attributes of a notification, by its identifier.
    case notificationAttributes(UInt32, [ANCSAttributeRequest])
    /// Request attributes of an app, by its identifier; attribute 0 is its name.
    case appAttributes(String, [UInt8])
    /// Perform an action of a notification.
    case performAction(UInt32, ANCSAction)
    /// An unknown command: its identifier, and the bytes after it.
    case unknown(UInt8, [UInt8])

    fileprivate enum Identifier {
        static let notificationAttributes: UInt8 = 0
        static let appAttributes: UInt8 = 1
        static let performAction: UInt8 = 2
    }
}

extension ANCSCommand: WireCodable {
    /// Parses a command up to the end of the input.
    package init(parsing reader: inout ByteReader) throws(WireError) {
        let identifier = try reader.readUInt8()
        switch identifier {
        case Identifier.notificationAttributes:
            let notification: UInt32 = try reader.readLittleEndian()
            var requests: [ANCSAttributeRequest] = []
            while !reader.isAtEnd { requests.append(try ANCSAttributeRequest(parsing: &reader)) }
            self = .notificationAttributes(notification, requests)
        case Identifier.appAttributes:
            let app = try reader.readTerminatedText()
            self = .appAttributes(app, Array(reader.readAll()))
        case Identifier.performAction:
            let notification: UInt32 = try reader.readLittleEndian()
            let action = ANCSAction(rawValue: try reader.readUInt8())
            guard reader.isAtEnd else { throw WireError(.trailingBytes(reader.remaining), offset: reader.offset) }
            self = .performAction(notification, action)
        default:
            self = .unknown(identifier, Array(reader.readAll()))
        }
    }

    package func serialize(into writer: inout ByteWriter) {
        switch self {
        case .notificationAttributes(let notification, let requests):
            writer.write(Identifier.notificationAttributes)
            writer.writeLittleEndian(notification)
            for request in requests { request.serialize(into: &writer) }
        case .appAttributes(let app, let attributes):
            writer.write(Identifier.appAttributes)
            writer.writeTerminated(app)
            writer.write(attributes)
        case .performAction(let notification, let action):
            writer.write(Identifier.performAction)
            writer.writeLittleEndian(notification)
            writer.write(action.rawValue)
        case .unknown(let identifier, let bytes):
            writer.write(identifier)
            writer.write(bytes)
        }
    }
}

/// The identifier of a notification attribute.
package struct ANCSAttributeIdentifier: Hashable, Sendable {
    /// The byte on the wire.
    package let rawValue: UInt8
    /// An identifier, known or reserved.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The identifier of the app.
    package static let appIdentifier = ANCSAttributeIdentifier(rawValue: 0)
    /// The title; the caller of a call.
    package static let title = ANCSAttributeIdentifier(rawValue: 1)
    /// The subtitle.
    package static let subtitle = ANCSAttributeIdentifier(rawValue: 2)
    /// The message.
    package static let message = ANCSAttributeIdentifier(rawValue: 3)
    /// The length of the whole message in bytes, as a decimal number.
    package static let messageSize = ANCSAttributeIdentifier(rawValue: 4)
    /// The date, as `yyyyMMdd'T'HHmmSS`.
    package static let date = ANCSAttributeIdentifier(rawValue: 5)
    /// The label of the positive action.
    package static let positiveActionLabel = ANCSAttributeIdentifier(rawValue: 6)
    /// The label of the negative action.
    package static let negativeActionLabel = ANCSAttributeIdentifier(rawValue: 7)

    /// Whether a request for this attribute has a maximum length.
    package var takesMaximumLength: Bool { 1...3 ~= rawValue }
}

/// A request for one attribute of a notification.
package struct ANCSAttributeRequest: Hashable, Sendable {
    /// The identifier of the attribute.
    package let identifier: ANCSAttributeIdentifier
    /// The maximum length in bytes; `nil` for attributes that are always sent whole.
    package let maximumLength: UInt16?

    /// A request for an attribute.
    /// - Parameter maximumLength: ignored except for the title, the subtitle and the message.
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

/// An action of a notification.
package struct ANCSAction: Hashable, Sendable {
    /// The byte on the wire.
    package let rawValue: UInt8
    /// An action, known or reserved.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The positive action, such as answering a call.
    package static let positive = ANCSAction(rawValue: 0)
    /// The negative action, such as declining a call.
    package static let negative = ANCSAction(rawValue: 1)

    /// The action with this name, `positive` or `negative`; `nil` for other names.
    package init?(name: String) {
        switch name {
        case "positive": self = .positive
        case "negative": self = .negative
        default: return nil
        }
    }

    /// `positive`, `negative`, or the number.
    package var name: String {
        switch self {
        case .positive: "positive"
        case .negative: "negative"
        default: "\(rawValue)"
        }
    }
}

extension ByteReader {
    /// Reads text and the zero byte after it.
    mutating func readTerminatedText() throws(WireError) -> String {
        let start = offset
        var bytes: [UInt8] = []
        while true {
            let byte = try readUInt8()
            if byte == 0 { break }
            bytes.append(byte)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw WireError(.badValue(field: "app identifier"), offset: start)
        }
        return text
    }
}

extension ByteWriter {
    /// Appends text up to its first zero byte, and a zero byte.
    mutating func writeTerminated(_ text: String) {
        write(text.utf8.prefix { $0 != 0 })
        write(UInt8(0))
    }
}
