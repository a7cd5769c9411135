// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import HTTPTypes

/// The resources, with the methods that each has: docs/http.md and Resources/openapi.json describe them.
struct Route: Sendable {
    /// Answers a request.
    /// - Throws: `Problem`.
    typealias Handler = @Sendable (APIOperations, APIRequest, _ names: [String]) async throws -> APIReply

    /// The parts of the path; `*` for a name.
    let path: [String]
    let handlers: [HTTPRequest.Method: Handler]
    /// Its bodies.
    let content: Content
    /// The parameters of the query that a method has; `nil` for any.
    private let parameters: [HTTPRequest.Method: [String]]?

    /// The kinds of bodies.
    enum Content: Sendable {
        /// JSON; GET and DELETE have none.
        case json
        /// Text: YAML or JSON.
        case text
        /// None.
        case nothing
    }

    private init(
        _ path: String, takes content: Content = .json, query parameters: [HTTPRequest.Method: [String]]? = [:],
        _ handlers: [HTTPRequest.Method: Handler]
    ) {
        self.content = content
        self.parameters = parameters
        self.path = path.split(separator: "/").map(String.init)
        self.handlers = handlers
    }

    /// The methods, in the order of their names; a resource that has GET has HEAD.
    var methods: [HTTPRequest.Method] {
        let all = Array(handlers.keys) + (handlers[.get] == nil ? [] : [.head])
        return all.sorted { $0.rawValue < $1.rawValue }
    }

    /// Checks the parameters of the query, and that there is no body where it would be ignored.
    /// - Throws: `Problem` 422.
    func check(_ request: APIRequest, _ method: HTTPRequest.Method) throws(Problem) {
        if let parameters { try request.requireParameters(parameters[method] ?? []) }
        if content == .nothing || method == .get || method == .delete { try request.requireNoBody() }
    }

    /// The route of a path, and the names in the path; `nil` if there is none.
    static func find(_ segments: [String]) -> (route: Route, names: [String])? {
        for route in all {
            if let names = route.names(in: segments) { return (route, names) }
        }
        return nil
    }

    /// The names in a path; `nil` if this is not its route.
    private func names(in segments: [String]) -> [String]? {
        guard segments.count == path.count else { return nil }
        var names: [String] = []
        for (part, segment) in zip(path, segments) {
            if part == "*" { names.append(segment) } else if part != segment { return nil }
        }
        return names
    }

    static let all: [Route] = page + resources

    private static let resources: [Route] = [
        Route("v1/health", [.get: { api, _, _ in try await api.health() }]),
        Route("v1/version", [.get: { api, _, _ in .json(api.version) }]),
        Route(
            "v1/openapi.json", [.get: { _, _, _ in .content(PackageResources.openapi_json, type: "application/json") }]),
        Route("metrics", [.get: { api, _, _ in await api.metrics() }]),
        Route(
            "v1/beacons", query: [.get: ["profile"]],
            [.get: { api, request, _ in try await api.beacons(request.query["profile"]) }]),
        Route(
            "v1/beacons/*",
            [
                .get: { api, _, names in try await api.beacon(names[0]) },
                .patch: { api, request, names in try await api.patchBeacon(names[0], try request.members()) },
                .put: { api, request, names in try await api.putBeacon(names[0], try request.members()) },
                .delete: { api, _, names in try await api.removeBeacon(names[0]) },
            ]),
        Route(
            "v1/beacons/*/disconnect",
            [.post: { api, request, names in try await api.disconnect(names[0], request) }]),
        Route("v1/receivers", [.get: { api, _, _ in await api.receivers() }]),
        Route("v1/receivers/*", [.patch: { api, request, names in try await api.moveReceiver(names[0], request) }]),
        Route("v1/air", [.get: { api, _, _ in try await api.air() }]),
        Route("v1/links", [.get: { api, _, _ in try await api.links() }]),
        Route(
            "v1/links/history", query: [.get: ["name", "after"]],
            [.get: { api, request, _ in try await api.linkHistory(request) }]),
        Route(
            "v1/links/*/*",
            [
                .put: { api, request, names in try await api.setLink(names, request) },
                .delete: { api, _, names in try await api.removeLink(names) },
            ]),
        Route(
            "v1/clock",
            [
                .get: { api, _, _ in try await api.clock([:]) },
                .put: { api, request, _ in try await api.setRate(request) },
            ]),
        Route("v1/clock/advance", [.post: { api, request, _ in try await api.advance(request) }]),
        Route("v1/radio", [.put: { api, request, _ in try await api.setRadio(request) }]),
        Route(
            "v1/profile", takes: .text, query: [.get: ["profile"], .put: ["profile"]],
            [
                .get: { api, request, _ in try await api.profile(request.query["profile"]) },
                .put: { api, request, _ in try await api.replaceProfile(request) },
            ]),
        Route(
            "v1/scenario", takes: .text, query: [.put: ["file"]],
            [
                .get: { api, _, _ in try await api.scenario() },
                .put: { api, request, _ in try await api.startScenario(request) },
                .delete: { api, _, _ in try await api.stopScenario() },
            ]),
        Route(
            "v1/control", takes: .text,
            [.post: { api, request, _ in .control(await api.reply(to: request.text ?? "")) }]),
        Route("v1/reset", takes: .nothing, [.post: { api, _, _ in try await api.reset() }]),
        Route("v1/reload", takes: .nothing, [.post: { api, _, _ in try await api.reload() }]),
        Route("v1/bonds", [.get: { api, _, _ in try await api.bonds(nil) }]),
        Route(
            "v1/bonds/*", query: [.delete: ["peer"]],
            [
                .get: { api, _, names in try await api.bonds(names[0]) },
                .delete: { api, request, names in try await api.forget(names[0], peer: request.query["peer"]) },
            ]),
        Route(
            "v1/captures",
            [
                .get: { api, _, _ in try await api.captures() },
                .post: { api, request, _ in try await api.startCapture(request) },
            ]),
        Route(
            "v1/captures/*",
            [
                .get: { api, _, names in try await api.capture(names[0]) },
                .delete: { api, _, names in try await api.removeCapture(names[0]) },
            ]),
        Route("v1/captures/*/stop", takes: .nothing, [.post: { api, _, names in try await api.stopCapture(names[0]) }]),
        Route("v1/captures/*/packets", [.get: { api, _, names in try await api.packets(names[0]) }]),
        Route(
            "v1/events", query: [.get: EventSelection.parameters + ["after", "text", "token"]],
            [.get: { api, request, _ in try await api.events(request) }]),
        Route(
            "v1/journal", query: [.get: EventSelection.parameters + ["after"]],
            [
                .get: { api, request, _ in try await api.journal(request) },
                .delete: { api, _, _ in api.clearJournal() },
            ]),
        Route("v1/journal/verify", [.post: { api, request, _ in try await api.verify(request) }]),
    ]

    private static let page = PageFile.all.map { file in
        Route(file.path, query: nil, [.get: { _, _, _ in .content(file.bytes, type: file.type) }])
    }
}

extension HTTPField.Name {
    /// The number of the last event that a client of `/v1/events` has (HTML, 9.2.4).
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
