// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A phone's response to a command, which the data source sends in fragments.
package enum ANCSResponse: Hashable, Sendable {
    /// Attributes of a notification, in the order of the requests.
    case notificationAttributes(UInt32, [ANCSAttribute])
    /// Attributes of an app, by the app's identifier.
    case appAttributes(String, [ANCSAttribute])

    /// The attributes.
    package var attributes: [ANCSAttribute] {
        switch self {
        case .notificationAttributes(_, let attributes), .appAttributes(_, let attributes): attributes
        }
    }

    /// The values of the data source that carry this response.
    /// - Parameter length: the maximum length of a value in bytes; at least 1.
    package func fragments(ofAtMost length: Int) -> [[UInt8]] {
        let bytes = serialized()
        let length = max(1, length)
        return stride(from: 0, to: bytes.count, by: length).map {
            Array(bytes[$0..<min($0 + length, bytes.count)])
        }
    }
}

extension ANCSResponse: WireCodable {
    /// Parses a response up to the end of the input.
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

    /// Parses the header: a response without attributes.
    fileprivate init(header reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        switch try reader.readUInt8() {
        case 0: self = .notificationAttributes(try reader.readLittleEndian(), [])
        case 1: self = .appAttributes(try reader.readTerminatedText(), [])
        default: throw WireError(.badValue(field: "command"), offset: start)
        }
    }

    fileprivate mutating func append(_ attribute: ANCSAttribute) {
        switch self {
        case .notificationAttributes(let notification, let attributes):
            self = .notificationAttributes(notification, attributes + [attribute])
        case .appAttributes(let app, let attributes): self = .appAttributes(app, attributes + [attribute])
        }
    }
}

/// An attribute of a notification or an app, in a response.
package struct ANCSAttribute: Hashable, Sendable {
    /// The identifier: an `ANCSAttributeIdentifier` for notifications; 0 for the name of an app.
    package let identifier: UInt8
    /// The value: text in UTF-8, if the phone conforms to the specification.
    package let value: [UInt8]

    /// An attribute; values are truncated to 65,535 bytes.
    package init(_ identifier: UInt8, value: [UInt8]) {
        self.identifier = identifier
        self.value = Array(value.prefix(Int(UInt16.max)))
    }

    /// The value as text, with replacement characters for invalid UTF-8.
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

/// Assembles the response to one command from values of the data source.
///
/// The fragments have no header: a response is complete when it has as many attributes as the command requested. The
/// assembler stores at most as many bytes as such a response can have.
package struct ANCSResponseAssembler: Hashable, Sendable {
    private let expected: ANCSResponse
    private let count: Int
    private var response: ANCSResponse?
    /// Received bytes that are not parsed yet.
    private var bytes: [UInt8] = []

    /// An assembler for the response to a command; `nil` for a command without response.
    package init?(answering command: ANCSCommand) {
        switch command {
        case .notificationAttributes(let notification, let requests):
            expected = .notificationAttributes(notification, [])
            count = requests.count
        case .appAttributes(let app, let attributes):
            expected = .appAttributes(app, [])
            count = attributes.count
        case .performAction, .unknown: return nil
        }
    }

    /// Adds a fragment.
    /// - Returns: The response when it is complete, `nil` before.
    /// - Throws: `WireError` if the bytes belong to no response to the command. The assembler must be discarded then.
    package mutating func append(_ fragment: [UInt8]) throws(WireError) -> ANCSResponse? {
        bytes += fragment
        var reader = ByteReader(bytes)
        if response == nil {
            guard let header = try Self.whole({ () throws(WireError) in try ANCSResponse(header: &reader) }) else {
                // Without this limit, an app identifier without its zero byte would be stored without bound.
                guard bytes.count <= expected.serialized().count else { throw Self.foreign }
                return nil
            }
            guard header == expected else { throw Self.foreign }
            response = header
            bytes.removeFirst(reader.offset)
            reader = ByteReader(bytes)
        }
        var parsed = 0
        while let present = response, present.attributes.count < count,
            let attribute = try Self.whole({ () throws(WireError) in try ANCSAttribute(parsing: &reader) })
        {
            response?.append(attribute)
            parsed = reader.offset
        }
        bytes.removeFirst(parsed)
        guard let response, response.attributes.count == count else { return nil }
        guard bytes.isEmpty else { throw WireError(.trailingBytes(bytes.count), offset: 0) }
        return response
    }

    private static let foreign = WireError(.badValue(field: "command or subject"), offset: 0)

    /// A parsed value; `nil` if more bytes are needed.
    private static func whole<Value>(_ read: () throws(WireError) -> Value) throws(WireError) -> Value? {
        do throws(WireError) {
            return try read()
        } catch {
            if case .truncated = error.kind { return nil }
            throw error
        }
    }
}
