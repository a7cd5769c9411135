// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import Emulator
package import JSON

/// A parameter of an operation: one declaration for the server, the client, the description and the tables.
package struct Field<Owner: Sendable>: Sendable {
    let description: FieldDescription
    /// Sets the property from a value of a request.
    let read: @Sendable (JSONValue, inout Owner) throws(ValueFault) -> Void
    /// The value of the property in the form of a request; `nil` for none.
    let write: @Sendable (Owner) -> JSONValue?

    /// A parameter that a request must have.
    /// - Parameters:
    ///   - name: Its name in requests.
    ///   - path: The property.
    ///   - meaning: What it is, for people: a noun phrase without a full stop.
    package static func required<Value: Parameter>(
        _ name: String, _ place: FieldDescription.Place, _ path: any WritableKeyPath<Owner, Value> & Sendable,
        _ meaning: String
    ) -> Field {
        Field(
            description: FieldDescription(
                name: name, place: place, meaning: meaning, schema: Value.schema, isRequired: true),
            read: { json, owner throws(ValueFault) in owner[keyPath: path] = try Value(json: json) },
            write: { $0[keyPath: path].json })
    }

    /// A parameter that a request may leave out.
    /// - Parameters: as of `required`.
    package static func optional<Value: Parameter>(
        _ name: String, _ place: FieldDescription.Place, _ path: any WritableKeyPath<Owner, Value?> & Sendable,
        _ meaning: String
    ) -> Field {
        Field(
            description: FieldDescription(
                name: name, place: place, meaning: meaning, schema: Value.schema, isRequired: false),
            read: { json, owner throws(ValueFault) in owner[keyPath: path] = try Value(json: json) },
            write: { $0[keyPath: path]?.json })
    }

    /// The same parameter of an operation that has the owner as a property.
    func lifted<Outer>(to path: any WritableKeyPath<Outer, Owner> & Sendable) -> Field<Outer> {
        Field<Outer>(
            description: description,
            read: { [read] json, outer throws(ValueFault) in try read(json, &outer[keyPath: path]) },
            write: { [write] in write($0[keyPath: path]) })
    }
}

/// A parameter of an operation, without its type.
package struct FieldDescription: Sendable {
    /// The part of a request that contains the parameter.
    package enum Place: Hashable, Sendable {
        /// A part of the path.
        case path
        /// A parameter of the query.
        case query
        /// A field of the head with this name.
        case header(String)
        /// A member of the JSON object that is the body.
        case member
        /// The JSON object that is the body.
        case object
        /// The text that is the body, in YAML or JSON.
        case text
    }

    package let name: String
    package let place: Place
    package let meaning: String
    package let schema: Schema
    package let isRequired: Bool
}

/// A type of the values of parameters: its JSON, which in paths and queries is a text, and the schema of that.
package protocol Parameter: Sendable {
    /// - Throws: `ValueFault` with what can be written instead.
    init(json: JSONValue) throws(ValueFault)

    var json: JSONValue { get }
    static var schema: Schema { get }
}
