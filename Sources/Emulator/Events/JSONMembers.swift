// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import JSON

/// The members of an object that a client has sent, by type.
package struct JSONMembers: Sendable {
    private let members: [String: JSONValue]

    /// The members of an object.
    package init(_ members: [String: JSONValue]) { self.members = members }

    /// A value; `nil` if it is absent.
    package subscript(_ key: String) -> JSONValue? { members[key] }

    /// A string; `nil` if it is absent.
    /// - Throws: `EmulatorError` `.badProfile` for another type.
    package func text(_ key: String) throws(EmulatorError) -> String? { try value(key, "a string", \.string) }

    /// `true` or `false`; `nil` if it is absent.
    /// - Throws: `EmulatorError` `.badProfile` for another type.
    package func boolean(_ key: String) throws(EmulatorError) -> Bool? {
        try value(key, "true or false") { if case .boolean(let value) = $0 { value } else { nil } }
    }

    /// A whole number; `nil` if it is absent.
    /// - Throws: `EmulatorError` `.badProfile` for another type.
    package func integer(_ key: String) throws(EmulatorError) -> Int? {
        try value(key, "a whole number") { $0.double.flatMap { Int(exactly: $0) } }
    }

    /// An array of numbers; `nil` if it is absent.
    /// - Throws: `EmulatorError` `.badProfile` for another type.
    package func numbers(_ key: String) throws(EmulatorError) -> [Double]? {
        try value(key, "an array of numbers", Self.numbers)
    }

    /// The numbers of an array; `nil` for anything else.
    static func numbers(_ value: JSONValue) -> [Double]? { value.elements.flatMap { all($0, \.double) } }

    /// An array; `nil` if it is absent.
    /// - Throws: `EmulatorError` `.badProfile` for another type, also of an element.
    package func list<Element>(
        _ key: String, _ type: String, _ element: (JSONValue) -> Element?
    ) throws(EmulatorError) -> [Element]? {
        try value(key, type) { $0.elements.flatMap { Self.all($0, element) } }
    }

    /// An object of strings; `nil` if it is absent.
    /// - Throws: `EmulatorError` `.badProfile` for another type, also of a member.
    package func texts(by key: String) throws(EmulatorError) -> [String: String]? {
        guard let object = try value(key, "an object of strings", \.members) else { return nil }
        var texts: [String: String] = [:]
        for (name, value) in object {
            guard let text = value.string else { throw Self.wrongType("\(key).\(name)", "a string") }
            texts[name] = text
        }
        return texts
    }

    private func value<Value>(
        _ key: String, _ type: String, _ read: (JSONValue) -> Value?
    ) throws(EmulatorError) -> Value? {
        guard let value = members[key] else { return nil }
        guard let read = read(value) else { throw Self.wrongType(key, type) }
        return read
    }

    private static func wrongType(_ key: String, _ type: String) -> EmulatorError {
        EmulatorError(.badProfile, "\(key) must be \(type)")
    }

    private static func all<Element>(_ values: [JSONValue], _ read: (JSONValue) -> Element?) -> [Element]? {
        let elements = values.compactMap(read)
        return elements.count == values.count ? elements : nil
    }
}
