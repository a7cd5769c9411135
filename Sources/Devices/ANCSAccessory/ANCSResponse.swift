// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// What a phone tells by the data source, when all its pieces are together.
package enum ANCSResponse: Hashable, Sendable {
    /// Attributes of a notification, in the order in which they were asked for.
    case notificationAttributes(UInt32, [ANCSAttribute])
    /// Attributes of an app.
    case appAttributes(String, [ANCSAttribute])
}

extension ANCSResponse: WireCodable {
    /// Reads a response up to the end of the input.
    package init(parsing reader: inout ByteReader) throws(WireError) {
        self = try Self(header: &reader)
        while !reader.isAtEnd { append(try ANCSAttribute(parsing: &reader)) }
    }

    package func serialize(into writer: inout ByteWriter) {
        switch self {
        case .notificationAttributes(let notification, let attributes):
            writer.write(UInt8(0))
            writer.writeLittleEndian(notification)
            for attribute in attributes { attribute.serialize(into: &writer) }
        case .appAttributes(let app, let attributes):
            writer.write(UInt8(1))
            writer.writeTerminated(app)
            for attribute in attributes { attribute.serialize(into: &writer) }
        }
    }

    /// Reads what is in front of the attributes: a response without any.
    init(header reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        switch try reader.readUInt8() {
        case 0: self = .notificationAttributes(try reader.readLittleEndian(), [])
        case 1: self = .appAttributes(try reader.readTerminatedText(), [])
        default: throw WireError(.badValue(field: "command"), offset: start)
        }
    }

    mutating func append(_ attribute: ANCSAttribute) {
        switch self {
        case .notificationAttributes(let notification, let attributes):
            self = .notificationAttributes(notification, attributes + [attribute])
        case .appAttributes(let app, let attributes): self = .appAttributes(app, attributes + [attribute])
        }
    }

    /// The attributes.
    package var attributes: [ANCSAttribute] {
        switch self {
        case .notificationAttributes(_, let attributes), .appAttributes(_, let attributes): attributes
        }
    }

    /// The values of the data source that carry this, none longer than so many octets: at least 1.
    package func fragments(ofAtMost length: Int) -> [[UInt8]] {
        let octets = serialized()
        let length = max(1, length)
        return stride(from: 0, to: octets.count, by: length).map {
            Array(octets[$0..<min($0 + length, octets.count)])
        }
    }
}
