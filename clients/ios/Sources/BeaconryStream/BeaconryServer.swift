// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// A receiver of a run that is served over HTTP, and how to reach it.
public struct BeaconryServer: Sendable {
    /// The address of the server, such as `http://localhost:8080`.
    public var url: URL
    /// The name of the receiver: letters, digits, `_`, `-` and `.`, at most 64.
    public var receiver: String
    /// The word of `--http-token-file`; `nil` if the server needs none.
    public var token: String?

    /// A receiver of the run at this address.
    public init(url: URL, receiver: String = "phone", token: String? = nil) {
        self.url = url
        self.receiver = receiver
        self.token = token
    }

    /// A request for the receiver itself, or for a resource below it.
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - path: the parts of the path below the receiver, not encoded.
    ///   - query: the parameters of the query.
    ///   - body: a JSON body.
    package func request(
        _ method: String, _ path: [String] = [], query: [URLQueryItem] = [], body: Data? = nil
    ) -> URLRequest {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true) ?? URLComponents()
        var base = components.percentEncodedPath
        if base.hasSuffix("/") { base.removeLast() }
        let parts = (["v1", "receivers", receiver] + path).map(Self.encoded)
        components.percentEncodedPath = base + "/" + parts.joined(separator: "/")
        components.queryItems = query.isEmpty ? nil : query
        var request = URLRequest(url: components.url ?? url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = method
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")

    // The identifier of a region is any text: "a/b" must be one part of the path.
    private static func encoded(_ part: String) -> String {
        part.addingPercentEncoding(withAllowedCharacters: unreserved) ?? part
    }
}
