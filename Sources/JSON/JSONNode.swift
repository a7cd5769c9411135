// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A JSON value with its place, and with the members of objects in the order of the document: of files of people, whose faults
/// have places.
package struct JSONNode: Sendable {
    package enum Content: Sendable {
        /// `null`, a truth value, a number or a text.
        case scalar(JSONValue)
        case array([JSONNode])
        case object([(name: String, value: JSONNode)])
    }

    package let content: Content
    /// The number of bytes before it.
    package let offset: Int

    /// Why a document is not accepted, and the number of bytes before that place.
    package struct Fault: Error {
        package let fault: JSONFault
        package let offset: Int
    }

    /// Parses a document, as `JSONValue` does.
    package init(parsing bytes: [UInt8], _ limits: JSONLimits) throws(Fault) {
        var reader = JSONReader<JSONNode>(bytes, limits)
        do throws(JSONFault) {
            self = try reader.document()
        } catch {
            throw Fault(fault: error, offset: min(reader.place, max(0, bytes.count - 1)))
        }
    }

    private init(_ content: Content, at offset: Int) {
        self.content = content
        self.offset = offset
    }

    /// The elements of an array.
    package var elements: [JSONNode]? { if case .array(let elements) = content { elements } else { nil } }
    /// The members of an object.
    package var members: [(name: String, value: JSONNode)]? {
        if case .object(let members) = content { members } else { nil }
    }
    /// The value that is no array and no object.
    package var scalar: JSONValue? { if case .scalar(let value) = content { value } else { nil } }

    /// The member of an object.
    package subscript(_ name: String) -> JSONNode? { members?.first { $0.name == name }?.value }
}

extension JSONNode: JSONForm {
    struct Members {
        var pairs: [(name: String, value: JSONNode)] = []
        var names: Set<String> = []
    }

    static var noMembers: Members { Members() }
    static func scalar(_ value: JSONValue, at offset: Int) -> JSONNode { JSONNode(.scalar(value), at: offset) }
    static func array(_ elements: [JSONNode], at offset: Int) -> JSONNode { JSONNode(.array(elements), at: offset) }
    static func object(_ members: Members, at offset: Int) -> JSONNode { JSONNode(.object(members.pairs), at: offset) }
    static func add(_ value: JSONNode, named name: String, to members: inout Members) -> Bool {
        members.pairs.append((name, value))
        return members.names.insert(name).inserted
    }
}
