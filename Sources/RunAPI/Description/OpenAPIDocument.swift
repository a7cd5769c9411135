// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import JSON

/// The description of all operations (OpenAPI 3.1).
package enum OpenAPIDocument {
    package static let document = JSONValue.object([
        "openapi": .text("3.1.0"),
        "info": .object([
            "title": .text("Beaconry control"), "version": .text("1"),
            "description": .text("The requests of a run: docs/http.md."),
            "license": .object(["name": .text("Apache-2.0"), "identifier": .text("Apache-2.0")]),
        ]),
        "security": .array([.object([:]), .object(["token": .array([])])]),
        "paths": paths,
        "components": .object([
            "securitySchemes": .object(["token": .object(["type": .text("http"), "scheme": .text("bearer")])]),
            "schemas": .object(schemas.mapValues(\.json)),
            "responses": responses,
        ]),
    ])

    // MARK: - Paths

    private static let paths = JSONValue.object(
        Dictionary(grouping: Operations.all, by: \.path).mapValues { endpoints in
            .object(
                Dictionary(
                    uniqueKeysWithValues: endpoints.map { ($0.method.rawValue.lowercased(), operation($0)) }))
        })

    private static func operation(_ endpoint: Endpoint) -> JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .text(endpoint.name), "summary": .text(endpoint.sentence),
            "responses": .object(replies(of: endpoint)),
        ]
        let parameters = endpoint.fields.compactMap(parameter)
        if !parameters.isEmpty { members["parameters"] = .array(parameters) }
        members["requestBody"] = body(of: endpoint)
        return .object(members)
    }

    private static func parameter(_ field: FieldDescription) -> JSONValue? {
        let place: (place: String, name: String)
        switch field.place {
        case .path: place = ("path", field.name)
        case .query: place = ("query", field.name)
        case .header(let name): place = ("header", name)
        case .member, .object, .text: return nil
        }
        var members: [String: JSONValue] = [
            "in": .text(place.place), "name": .text(place.name), "description": .text(field.meaning),
            "schema": field.schema.json,
        ]
        if field.isRequired { members["required"] = .boolean(true) }
        return .object(members)
    }

    private static func body(of endpoint: Endpoint) -> JSONValue? {
        let members = endpoint.fields.filter { $0.place == .member }
        if !members.isEmpty {
            let schema = Schema.object(
                members.map {
                    $0.isRequired
                        ? .required($0.name, $0.schema, $0.meaning) : .optional($0.name, $0.schema, $0.meaning)
                })
            let type = endpoint.method == .patch ? "application/merge-patch+json" : "application/json"
            return content(
                schema, [type], isRequired: endpoint.method == .patch || members.contains(where: \.isRequired))
        }
        guard let field = endpoint.fields.first(where: { [.object, .text].contains($0.place) }) else { return nil }
        let types = field.place == .text ? ["application/yaml", "application/json"] : ["application/json"]
        return content(field.place == .text ? .any : field.schema, types, isRequired: field.isRequired, field.meaning)
    }

    private static func content(
        _ schema: Schema, _ types: [String], isRequired: Bool, _ meaning: String = ""
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "content": .object(
                Dictionary(uniqueKeysWithValues: types.map { ($0, .object(["schema": schema.json])) })),
            "required": .boolean(isRequired),
        ]
        if !meaning.isEmpty { members["description"] = .text(meaning) }
        return .object(members)
    }

    // MARK: - Responses

    private static func replies(of endpoint: Endpoint) -> [String: JSONValue] {
        var replies: [String: JSONValue] = [:]
        for status in endpoint.answer.statuses { replies["\(status)"] = success(endpoint.answer, status) }
        var statuses = Set(endpoint.failures.map(\.status)).union(RequestFault.always)
        if endpoint.takesBody { statuses.formUnion(RequestFault.withBody) }
        for status in statuses {
            replies["\(status)"] = .object(["$ref": .text("#/components/responses/\(status)")])
        }
        return replies
    }

    private static func success(_ answer: AnswerDescription, _ status: Int) -> JSONValue {
        let words = status == 201 ? "Created." : status == 204 ? "Done." : "The answer."
        var members: [String: JSONValue] = ["description": .text(words)]
        if let type = answer.type {
            members["content"] = .object([type: .object(answer.schema.map { ["schema": $0.json] } ?? [:])])
        }
        return .object(members)
    }

    private static let responses = JSONValue.object(
        Dictionary(
            uniqueKeysWithValues: RequestFault.meanings.map { status, meaning in
                (
                    "\(status)",
                    .object([
                        "description": .text(meaning),
                        "content": .object([
                            "application/problem+json": .object(["schema": problem.json])
                        ]),
                    ])
                )
            }))

    private static let problem = Schema.record(
        "Problem",
        [
            .required("type", .text, "about:blank"), .required("title", .text, "the words of the status"),
            .required("status", .integer, "the status"), .required("detail", .text, "the problem, a sentence"),
            .required("code", .text, "the stable code"), .optional("hint", .text, "the fix"),
            .required("exitCode", .integer, "the exit code of a command that ends with it"),
            .optional("faults", .array(.anyObject), "the faults of a text, with file, line and column"),
            .optional("attError", .integer(0...255), "the ATT error with which a connected device refused the request"),
        ])

    // MARK: - Schemas

    private static let schemas: [String: Schema] = {
        var named = problem.named
        for endpoint in Operations.all {
            for schema in endpoint.fields.map(\.schema) + [endpoint.answer.schema].compactMap(\.self) {
                named.merge(schema.named) { first, _ in first }
            }
        }
        return named
    }()
}

/// The statuses of requests that fail (RFC 9110, 15.5 and 15.6).
package enum RequestFault {
    /// The name of each status, and what it means here.
    private static let table = [
        400: ("Bad Request", "The request is not well formed."),
        401: ("Unauthorized", "The token is missing or wrong."),
        403: ("Forbidden", "The origin is another one."),
        404: ("Not Found", "There is no such thing in the run."),
        409: ("Conflict", "The radio, a connected device, or the state of the run, does not permit it."),
        412: ("Precondition Failed", "It has changed since it was read, or is there already."),
        413: ("Content Too Large", "The body is too large."),
        415: ("Unsupported Media Type", "The media type of the body is another one."),
        421: ("Misdirected Request", "The host is another one."),
        422: ("Unprocessable Content", "A value is not valid."),
        500: ("Internal Server Error", "A file could not be read or written."),
        503: ("Service Unavailable", "The run or the server cannot do it at present."),
    ]

    static let meanings = table.mapValues(\.1)

    /// The name of a status; empty for one that is not used.
    package static func name(of status: Int) -> String { table[status]?.0 ?? "" }

    /// Those that every operation may have: a parameter that is not known is 422.
    static let always: Set = [400, 401, 403, 421, 422]
    /// Those that operations with a body may have.
    static let withBody: Set = [413, 415]
}

extension EmulatorError.Code {
    /// The status of a response with this error.
    package var status: Int {
        switch self {
        case .badProfile, .refusedSetting: 422
        case .unknownBeacon, .unknownProfile, .unknownPeer, .unknownCharacteristic, .unknownCapture, .noScenario,
            .noMap:
            404
        case .radio, .unsupported, .cannotCreate, .realTime, .conflict, .tooMany, .refusedAttribute: 409
        case .profileChanged, .exists: 412
        case .inputOutput: 500
        case .notReady: 503
        }
    }
}
