// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// What an accessory writes to the control point.
package enum ANCSCommand: Hashable, Sendable {
    /// To be told attributes of a notification.
    case notificationAttributes(UInt32, [ANCSAttributeRequest])
    /// To be told attributes of an app, by its identifier; 0 is its name.
    case appAttributes(String, [UInt8])
    /// To have an action performed.
    case performAction(UInt32, ANCSAction)
    /// A command that is not known.
    case unknown(UInt8, [UInt8])

    fileprivate enum Identifier {
        static let notificationAttributes: UInt8 = 0
        static let appAttributes: UInt8 = 1
        static let performAction: UInt8 = 2
    }
}

/// What can be done with a notification.
package struct ANCSAction: Hashable, Sendable {
    /// The octet on the wire.
    package let rawValue: UInt8
    /// Any octet, known or not.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What its positive label says, such as taking a call.
    package static let positive = ANCSAction(rawValue: 0)
    /// What its negative label says, such as refusing a call.
    package static let negative = ANCSAction(rawValue: 1)

    /// The action of a name, `positive` or `negative`; `nil` when there is none.
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

extension ANCSCommand: WireCodable {
    /// Reads a command up to the end of the input.
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
        case .unknown(let identifier, let octets):
            writer.write(identifier)
            writer.write(octets)
        }
    }
}

extension ByteReader {
    /// Text up to an octet of zero, which is read too.
    mutating func readTerminatedText() throws(WireError) -> String {
        let start = offset
        var octets: [UInt8] = []
        while true {
            let octet = try readUInt8()
            if octet == 0 { break }
            octets.append(octet)
        }
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw WireError(.badValue(field: "app identifier"), offset: start)
        }
        return text
    }
}

extension ByteWriter {
    /// Appends text and an octet of zero; a zero in the text ends it.
    mutating func writeTerminated(_ text: String) {
        write(text.utf8.prefix { $0 != 0 })
        write(UInt8(0))
    }
}
