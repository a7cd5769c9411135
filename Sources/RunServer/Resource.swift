// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RunAPI

/// What a path of the server leads to.
enum Resource: Sendable {
    /// Operations, by their methods.
    case operations([HTTPRequest.Method: Endpoint])
    /// A file of the page.
    case page(PageFile)

    /// The methods, in the order of their names; a resource that has GET has HEAD.
    var methods: [HTTPRequest.Method] {
        let names: [HTTPRequest.Method]
        switch self {
        case .operations(let endpoints): names = Array(endpoints.keys)
        case .page: names = [.get]
        }
        return (names + (names.contains(.get) ? [.head] : [])).sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether it is a stream of server-sent events.
    var isStream: Bool {
        if case .operations(let endpoints) = self { endpoints[.get]?.answer.type == "text/event-stream" } else { false }
    }

    /// Whether the bodies of a method are texts.
    func takesText(_ method: HTTPRequest.Method) -> Bool {
        switch self {
        case .operations(let endpoints): endpoints[method]?.takesText ?? false
        case .page: false
        }
    }

    /// Whether it is a file of the page.
    var isPage: Bool { if case .page = self { true } else { false } }
}

/// The resources of the server by their paths.
struct Router: Sendable {
    /// A path whose parts are names, or in braces a place for any.
    private struct Pattern {
        let parts: [Substring]
        let resource: Resource

        /// The values in a path by the names in braces; `nil` if it is another path.
        func values(in segments: [String]) -> [String: String]? {
            guard segments.count == parts.count else { return nil }
            var values: [String: String] = [:]
            for (part, segment) in zip(parts, segments) {
                if part.first == "{" {
                    values[String(part.dropFirst().dropLast())] = segment
                } else if part != segment {
                    return nil
                }
            }
            return values
        }
    }

    private let fixed: [[String]: Resource]
    private let patterns: [Pattern]

    init(_ endpoints: [Endpoint]) {
        var fixed: [[String]: Resource] = [:]
        var patterns: [Pattern] = []
        for (path, endpoints) in Dictionary(grouping: endpoints, by: \.path) {
            let resource = Resource.operations(
                Dictionary(uniqueKeysWithValues: endpoints.map { (HTTPRequest.Method($0.method), $0) }))
            let parts = path.split(separator: "/")
            if path.contains("{") {
                patterns.append(Pattern(parts: parts, resource: resource))
            } else {
                fixed[parts.map(String.init)] = resource
            }
        }
        for file in PageFile.all { fixed[file.path.split(separator: "/").map(String.init)] = .page(file) }
        self.fixed = fixed
        self.patterns = patterns
    }

    /// The resource of a path, and the values in the path by their names; `nil` if there is none.
    func find(_ segments: [String]) -> (resource: Resource, values: [String: String])? {
        if let resource = fixed[segments] { return (resource, [:]) }
        for pattern in patterns {
            if let values = pattern.values(in: segments) { return (pattern.resource, values) }
        }
        return nil
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: OperationMethod) {
        switch method {
        case .get: self = .get
        case .put: self = .put
        case .post: self = .post
        case .patch: self = .patch
        case .delete: self = .delete
        }
    }
}
