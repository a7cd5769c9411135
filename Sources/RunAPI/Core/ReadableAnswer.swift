// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
import FoundationEssentials

/// A response as a client receives it.
package struct Response: Sendable {
    package var status: Int
    /// The fields of the head, by their names in lower case.
    package var fields: [String: String]
    package var body: [UInt8]

    package init(status: Int = 0, fields: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the body.
    /// - Throws: `DecodingError`.
    func decoded<Value: Decodable>(as _: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(body))
    }
}

/// An answer that the clients of this package read.
package protocol ReadableAnswer: Answer {
    /// - Throws: an error for a response that is not this answer.
    init(_ response: Response) throws
}

/// A response without what the answer has.
package struct UnreadableAnswer: Error {}

/// A record that the clients of this package read.
package protocol ReadableRecord: Record, ReadableAnswer, Decodable {}

extension ReadableRecord {
    package init(_ response: Response) throws { self = try response.decoded() }
}

extension Nothing: ReadableAnswer {
    package init(_ response: Response) { self.init() }
}

extension Created: ReadableAnswer where Value: ReadableRecord {
    package init(_ response: Response) throws { self.init(try Value(response)) }
}

extension Stored: ReadableAnswer where Value: ReadableRecord {
    package init(_ response: Response) throws { self.init(try Value(response), isNew: response.status == 201) }
}

extension Listed: ReadableAnswer where Element: Decodable {
    package init(_ response: Response) throws {
        let lists: [String: [Element]] = try response.decoded()
        guard let elements = lists[Element.plural] else { throw UnreadableAnswer() }
        self.init(elements)
    }
}

/// A request that a run has refused (RFC 9457).
package struct RefusedRequest: Error, Sendable, CustomStringConvertible {
    /// The members of `application/problem+json` that are used.
    private struct Problem: Decodable {
        let detail: String
        let code: String
        let hint: String?
        let exitCode: Int32
        let faults: [ErrorRecord]?
    }

    /// The HTTP status code.
    package let status: Int
    /// The stable code.
    package let code: String
    /// The problem, as a sentence without its full stop.
    package let message: String
    /// The fix; empty if the message includes it.
    package let hint: String
    /// The exit code of a command that ends with it (sysexits.h).
    package let exitCode: Int32
    /// The faults of a text.
    package let faults: [ErrorRecord]

    /// The problem of a response; `nil` for another body.
    package init?(_ response: Response) {
        guard let problem: Problem = try? response.decoded() else { return nil }
        status = response.status
        code = problem.code
        message = problem.detail
        hint = problem.hint ?? ""
        exitCode = problem.exitCode
        faults = problem.faults ?? []
    }

    package var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
