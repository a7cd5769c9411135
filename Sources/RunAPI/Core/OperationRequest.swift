// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON

/// An operation as a request over HTTP.
package struct OperationRequest: Sendable {
    package let method: OperationMethod
    /// The path and the query, percent-encoded (RFC 3986).
    package let target: String
    /// The fields of the head that follow from the operation.
    package let fields: [(String, String)]
    /// `nil` for none.
    package let body: [UInt8]?

    /// - Parameters:
    ///   - path: The path, with fields in braces.
    ///   - values: The values of the fields, in the order of their declarations.
    fileprivate init(_ method: OperationMethod, _ path: String, _ values: [(FieldDescription, JSONValue)]) {
        var parts = path.split(separator: "/").map { String($0) }
        var query: [String] = []
        var fields: [(String, String)] = []
        var members: [String: JSONValue] = [:]
        var body: (bytes: [UInt8], type: String)?
        for (field, value) in values {
            switch field.place {
            case .path:
                parts = parts.map { $0 == "{\(field.name)}" ? PercentEncoding.encode(value.setting ?? "") : $0 }
            case .query: query.append("\(field.name)=\(PercentEncoding.encode(value.setting ?? ""))")
            case .header(let header): fields.append((header, value.setting ?? ""))
            case .member: members[field.name] = value
            case .object: body = (Array(JSONLine.encode(value).utf8), "application/json")
            case .text: body = (Array((value.string ?? "").utf8), "application/yaml")
            }
        }
        if !members.isEmpty {
            let type = method == .patch ? "application/merge-patch+json" : "application/json"
            body = (Array(JSONLine.encode(JSONValue.object(members)).utf8), type)
        }
        if let body { fields.append(("Content-Type", body.type)) }
        if method != .get { fields.append(("Content-Length", "\(body?.bytes.count ?? 0)")) }
        self.method = method
        target = "/" + parts.joined(separator: "/") + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        self.fields = fields
        self.body = body?.bytes
    }
}

extension Operation {
    /// The request that performs it.
    package var request: OperationRequest {
        OperationRequest(
            Self.method, Self.path,
            Self.fields.compactMap { field in field.write(self).map { (field.description, $0) } })
    }
}

/// Percent-encoding of all but the unreserved characters (RFC 3986, 2.3).
enum PercentEncoding {
    static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isUnreserved = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            if isUnreserved { return String(character) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
