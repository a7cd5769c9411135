// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import HTTPTypes
import RunAPI

/// A refused request, as `application/problem+json` (RFC 9457).
struct Problem: Error, Encodable {
    /// The type of the document.
    static let contentType = "application/problem+json"

    let type = "about:blank"
    let title: String
    let status: Int
    let detail: String
    /// The stable code.
    let code: String
    /// The fix; absent if the detail includes it.
    let hint: String?
    /// The exit code of a command that ends with this problem (sysexits.h).
    let exitCode: Int32
    /// The faults of a profile.
    let faults: [ErrorRecord]?
    /// The ATT error with which a connected device refused the request (Core 5.4, Vol 3, Part F, 3.4.1.1).
    let attError: UInt8?
    /// The methods of the resource, for status 405.
    var methods: [HTTPRequest.Method] = []
    /// Whether the connection is closed after the reply.
    var endsConnection = false

    private enum CodingKeys: CodingKey {
        case type, title, status, detail, code, hint, exitCode, faults, attError
    }

    init(_ status: HTTPResponse.Status, code: String, _ detail: String, hint: String = "") {
        title = status.reasonPhrase
        self.status = status.code
        self.detail = detail
        self.code = code
        self.hint = hint.isEmpty ? nil : hint
        exitCode =
            switch status {
            case .badRequest, .contentTooLarge, .unprocessableContent: 65
            case .notFound: 64
            default: 74
            }
        (faults, attError) = (nil, nil)
    }

    /// An error of a run.
    init(_ error: EmulatorError) {
        title = RequestFault.name(of: error.code.status)
        status = error.code.status
        detail = error.message
        code = error.name
        hint = error.hint.isEmpty ? nil : error.hint
        exitCode = error.exitCode
        faults = error.faults.isEmpty ? nil : error.faults.map(ErrorRecord.init)
        attError = error.attError
    }

    /// A limit of the server was reached; the connection is closed to free its place.
    static func tooMany(_ things: String) -> Problem {
        var problem = Problem(
            .serviceUnavailable, code: "too-many", "this server has as many \(things) as it can serve at once",
            hint: "close some, or try again later")
        problem.endsConnection = true
        return problem
    }

    /// A path without a resource.
    static func noResource(_ path: String) -> Problem {
        Problem(.notFound, code: "unknown-resource", "there is no resource \(path)", hint: "see /v1/openapi.json")
    }

    /// A method that a resource does not have.
    static func method(_ method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed, code: "unknown-method", "\(method.rawValue) is not allowed here", hint: "use \(names)")
        problem.methods = allowed
        return problem
    }

    /// An invalid body or parameter.
    static func invalid(_ detail: String, hint: String = "") -> Problem {
        Problem(.unprocessableContent, code: "invalid", detail, hint: hint)
    }
}
