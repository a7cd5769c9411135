// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import HTTPTypes

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
    /// The body; `nil` for none.
    var body: JSONValue?
    /// The body of a resource that takes YAML as well, or a request of the control socket; `nil` for none.
    var text: String?

    /// - Throws: `Problem` 400 for a path that is not percent-encoded UTF-8.
    init(_ head: HTTPRequest) throws(Problem) {
        let parts = (head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        method = head.method
        fields = head.headerFields
        var segments: [String] = []
        for part in path.split(separator: "/") { segments.append(try Self.decoded(part)) }
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

    /// The number of an event: whole, from 0, and exact in JSON.
    /// - Throws: `Problem` 422.
    static func sequence(_ text: String) throws(Problem) -> UInt64 {
        guard let number = UInt64(text), number < 1 << 53 else {
            throw .invalid("\"\(text)\" is not the number of an event")
        }
        return number
    }

    /// The members of the body.
    /// - Throws: `Problem` 422 unless it is an object.
    func members() throws(Problem) -> [String: JSONValue] {
        guard let members = body?.members else { throw .invalid("the body must be a JSON object") }
        return members
    }

    /// The members of the body, each of which has one of these names.
    /// - Throws: `Problem` 422 unless it is an object of these.
    func members(_ names: [String]) throws(Problem) -> JSONMembers {
        let members = try members()
        if let other = members.keys.sorted().first(where: { !names.contains($0) }) {
            throw .invalid("the body has no member \"\(other)\"", hint: Spelling.hint(other, "members", names))
        }
        return JSONMembers(members)
    }

    /// Checks that there is no body, or an empty object.
    /// - Throws: `Problem` 422.
    func requireNoBody() throws(Problem) {
        if let body, body != .object([:]) { throw .invalid("this resource takes no body", hint: "leave it out") }
    }

    /// Checks that each parameter of the query is one of these.
    /// - Throws: `Problem` 422.
    func requireParameters(_ names: [String]) throws(Problem) {
        guard let other = query.keys.sorted().first(where: { !names.contains($0) }) else { return }
        throw .invalid(
            "this resource has no parameter \"\(other)\"",
            hint: names.isEmpty ? "leave it out" : Spelling.hint(other, "parameters", names))
    }
}

/// What is answered to a request.
enum APIReply: Sendable {
    /// JSON.
    case json(any Encodable & Sendable, HTTPResponse.Status = .ok)
    /// Other content, with its type and, for conditional requests, its tag.
    case content([UInt8], type: String, tag: String? = nil)
    /// Success without content.
    case empty
    /// Events until the client or the run ends, each with its sentence if that is wanted.
    case events(EventSelection, after: UInt64?, withText: Bool)
    /// The answer to a request of the control socket.
    case control(ControlReply)

    /// Whether it is a stream of events.
    var isStream: Bool {
        switch self {
        case .events, .control(.events): true
        default: false
        }
    }
}
