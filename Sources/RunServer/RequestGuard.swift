// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The checks of a request before it is performed.
///
/// A web page of another origin must not control a run: neither by a request of its own (`Origin`, and content types that
/// browsers send to other origins only after asking), nor by an image, a frame or a link (`Sec-Fetch-Site`, Fetch Metadata Request
/// Headers, 2.3), nor under a name that resolves to this machine (`Host`).
struct RequestGuard: Sendable {
    /// The names that a `Host` field may have, in lower case; `nil` for any, on a Unix socket.
    let hosts: Set<String>?
    /// The token that a request must have; `nil` for none.
    let token: String?
    /// The origins of pages that may read what receivers receive, such as the web views of apps.
    var origins: Set<String> = []

    /// - Parameter isPage: whether it is a request for a file of the page: these contain nothing of the run, so they need no token,
    ///   and pages of other origins may have links to them.
    /// - Throws: `Problem` 400, 421, 403, 401 or 415.
    func check(
        _ head: HTTPRequest, queryToken: String?, isPage: Bool = false, takesText: Bool = false
    ) throws(Problem) {
        try checkHost(head)
        if !isPage {
            try checkSite(head)
            try checkToken(head, queryToken)
        }
        try checkContentType(head, takesText: takesText)
    }

    private func checkHost(_ head: HTTPRequest) throws(Problem) {
        // The first one is the authority of the request (RFC 9112, 3.2).
        guard head.headerFields[values: .host].isEmpty else {
            throw Problem(.badRequest, code: "bad-host", "the request has several Host fields", hint: "send one")
        }
        let authority = head.authority ?? ""
        if let hosts, !hosts.contains(Self.name(ofAuthority: authority)) {
            throw Problem(
                .misdirectedRequest, code: "foreign-host", "the host \"\(authority)\" is not served",
                hint: "use the address of the server, or start it with --http-host NAME")
        }
        guard let origin = head.headerFields[.origin], origin != "http://\(authority)",
            origin != "https://\(authority)",
            allowedOrigin(of: head) == nil
        else { return }
        throw Problem(
            .forbidden, code: "foreign-origin", "pages of \"\(origin)\" may not control this run",
            hint: "open the page of the server itself")
    }

    private func checkSite(_ head: HTTPRequest) throws(Problem) {
        // Browsers do not connect to Unix sockets.
        guard hosts != nil, let site = head.headerFields[.secFetchSite], site != "same-origin", site != "none",
            allowedOrigin(of: head) == nil
        else { return }
        throw Problem(
            .forbidden, code: "foreign-origin",
            "a browser sent this request for a page of another origin (Sec-Fetch-Site: \(site))",
            hint: "open the page of the server itself")
    }

    /// The origin of a request that another page may send: it reads what receivers receive. `nil` for another request.
    func allowedOrigin(of head: HTTPRequest) -> String? {
        guard let origin = head.headerFields[.origin], origins.contains(origin),
            [.get, .head, .options].contains(head.method), head.path?.hasPrefix("/v1/receivers") == true
        else { return nil }
        return origin
    }

    /// Whether a browser asks whether a page may send such a request (CORS preflight, Fetch, 4.8).
    func isPreflight(_ head: HTTPRequest) -> Bool {
        head.method == .options && allowedOrigin(of: head) != nil
            && head.headerFields[HTTPField.Name("Access-Control-Request-Method")!] != nil
            && (try? checkHost(head)) != nil
    }

    /// The fields of the answer, with what such a page may send.
    static func preflightFields(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        fields[HTTPField.Name("Access-Control-Allow-Methods")!] = "GET, HEAD"
        fields[HTTPField.Name("Access-Control-Allow-Headers")!] = "Authorization, Last-Event-ID"
        fields[HTTPField.Name("Access-Control-Max-Age")!] = "600"
        return fields
    }

    /// The name without the port, in lower case.
    private static func name(ofAuthority authority: String) -> String {
        let text = authority.lowercased()
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return String(text[text.index(after: text.startIndex)..<end])
        }
        return String(text.prefix { $0 != ":" })
    }

    private func checkToken(_ head: HTTPRequest, _ queryToken: String?) throws(Problem) {
        guard let token else { return }
        let words = (head.headerFields[.authorization] ?? "").split(separator: " ")
        // RFC 9110, 11.1: the name of the scheme is case-insensitive.
        let given = words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : queryToken
        guard let given else {
            throw Problem(
                .unauthorized, code: "no-token", "this server needs a token",
                hint: "send Authorization: Bearer TOKEN, with the content of the token file")
        }
        guard Self.isEqual(given, token) else {
            throw Problem(
                .unauthorized, code: "wrong-token", "the token is not the one of this server",
                hint: "send the content of the file that its option --http-token-file names")
        }
    }

    /// Compares in a time that does not depend on the number of equal bytes.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        let (left, right) = (Array(one.utf8), Array(other.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func checkContentType(_ head: HTTPRequest, takesText: Bool) throws(Problem) {
        let hasBody =
            head.headerFields[.contentLength].map { $0 != "0" } ?? (head.headerFields[.transferEncoding] != nil)
        guard hasBody else { return }
        let type = (head.headerFields[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        if takesText, type == "application/yaml" { return }
        guard type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json")) else {
            throw Problem(
                .unsupportedMediaType, code: "not-json", "a body must be JSON",
                hint: "send Content-Type: application/json")
        }
    }
}

extension HTTPField.Name {
    fileprivate static let host = HTTPField.Name("Host")!
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
