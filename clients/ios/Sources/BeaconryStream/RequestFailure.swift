// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why a request failed, or a stream ended.
public struct RequestFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status; `nil` without an answer.
    public var status: Int?
    /// The stable name of the error, from the server's problem details.
    public var code: String?
    /// What is wrong.
    public var message: String
    /// What to do about it.
    public var hint: String?

    /// A failure without an answer of the server.
    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    /// A failure of the connection.
    package init(_ error: any Error) {
        // On Linux a URLError's text may be empty of what matters, its code is not.
        let code = (error as? URLError).map { " (code \($0.code.rawValue))" } ?? ""
        self.init(error.localizedDescription + code)
    }

    /// An answer with a status that is an error, and its problem details (RFC 9457), if it has any.
    package init(status: Int, body: Data) {
        struct Problem: Decodable {
            var title: String?
            var detail: String?
            var code: String?
            var hint: String?
        }
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        self.status = status
        code = problem?.code
        message = "HTTP status \(status)" + ((problem?.detail ?? problem?.title).map { ": \($0)" } ?? "")
        hint = problem?.hint
    }

    /// What is wrong and what to do about it.
    public var description: String { hint.map { "\(message); \($0)" } ?? message }

    /// Whether the server refused what was requested, so that the same request would fail again.
    package var isRefusal: Bool {
        guard let status else { return false }
        // A missing token, another host, a receiver that does not exist, or a busy server are not about the request.
        return (400..<500).contains(status) && ![401, 403, 404, 408, 421, 429].contains(status)
    }
}
