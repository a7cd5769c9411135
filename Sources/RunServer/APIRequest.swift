// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import HTTPTypes
import JSON
import RunAPI

/// A request, taken apart.
struct APIRequest: Sendable {
    let method: HTTPRequest.Method
    /// The path without its query.
    let path: String
    /// The decoded parts of the path.
    let segments: [String]
    /// The decoded parameters of the query.
    let query: [String: String]
    /// The fields of the head.
    let fields: HTTPFields

    /// - Throws: `Problem` 400 for a path that is not percent-encoded UTF-8.
    init(_ head: HTTPRequest) throws(Problem) {
        let parts = (head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        method = head.method
        fields = head.headerFields
        var segments: [String] = []
        // An empty part is an empty name.
        let inner = path.hasPrefix("/") ? path.dropFirst() : path[...]
        for part in inner.isEmpty ? [] : inner.split(separator: "/", omittingEmptySubsequences: false) {
            segments.append(try Self.decoded(part))
        }
        self.segments = segments
        var query: [String: String] = [:]
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let spaced = sides.count > 1 ? String(sides[1].map { $0 == "+" ? " " : $0 }) : ""
            let name = try Self.decoded(sides[0])
            guard query.updateValue(try Self.decoded(Substring(spaced)), forKey: name) == nil else {
                throw Problem(.badRequest, code: "bad-query", "the parameter \"\(name)\" is given twice")
            }
        }
        self.query = query
    }

    private static func decoded(_ text: Substring) throws(Problem) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                throw notEncoded(text)
            }
            rest.removeFirst(2)
            bytes.append(value)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw notEncoded(text) }
        return decoded
    }

    private static func notEncoded(_ text: Substring) -> Problem {
        Problem(.badRequest, code: "bad-encoding", "\"\(text)\" is not percent-encoded UTF-8")
    }

    /// The values of the parameters of an operation, by their names.
    /// - Parameters:
    ///   - names: The values in the path.
    ///   - body: `nil` for none.
    /// - Throws: `Problem` 422 for a name that the operation does not have there, or a body where it has none.
    func values(
        of endpoint: Endpoint, _ names: [String: String], _ body: RequestBody?
    ) throws(Problem) -> [String: JSONValue] {
        var values = names.mapValues { JSONValue.text($0) }
        let parameters = endpoint.fields.filter { $0.place == .query }.map(\.name) + Self.forAll(endpoint)
        for (name, text) in query {
            guard parameters.contains(name) else {
                throw .invalid(
                    "this resource has no parameter \"\(name)\"",
                    hint: parameters.isEmpty ? "leave it out" : Spelling.hint(name, "parameters", parameters))
            }
            if endpoint.fields.contains(where: { $0.name == name }) { values[name] = .text(text) }
        }
        for field in endpoint.fields {
            guard case .header(let name) = field.place, let name = HTTPField.Name(name), let text = fields[name] else {
                continue
            }
            values[field.name] = .text(text)
        }
        if let body { try Self.read(body, of: endpoint, into: &values) }
        return values
    }

    /// The parameters of the query that are no parameters of the operation: browsers' EventSource cannot set fields.
    private static func forAll(_ endpoint: Endpoint) -> [String] {
        if case "text/event-stream"? = endpoint.answer.type { [tokenParameter] } else { [] }
    }

    /// The parameter of the query that has the token.
    static let tokenParameter = "token"

    private static func read(
        _ body: RequestBody, of endpoint: Endpoint, into values: inout [String: JSONValue]
    ) throws(Problem) {
        switch body {
        case .text(let text):
            guard let field = endpoint.fields.first(where: { $0.place == .text }) else { throw unexpectedBody }
            values[field.name] = .text(text)
        case .json(let json):
            if let field = endpoint.fields.first(where: { $0.place == .object }) {
                values[field.name] = json
                return
            }
            guard let members = json.members else { throw .invalid("the body must be a JSON object") }
            let names = endpoint.fields.filter { $0.place == .member }.map(\.name)
            guard !names.isEmpty || members.isEmpty else { throw unexpectedBody }
            for (name, value) in members {
                guard names.contains(name) else {
                    throw .invalid(
                        "the body has no member \"\(name)\"", hint: Spelling.hint(name, "members", names))
                }
                values[name] = value
            }
        }
    }

    private static let unexpectedBody = Problem.invalid("this resource takes no body", hint: "leave it out")
}

/// The body of a request.
enum RequestBody: Sendable {
    case json(JSONValue)
    /// YAML or JSON.
    case text(String)
}
