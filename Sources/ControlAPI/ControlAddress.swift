// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Where the control requests are served over HTTP.
package enum ControlAddress: Hashable, Sendable {
    /// A host and a TCP port; 0 for any free one.
    case tcp(host: String, port: Int)
    /// The path of a Unix socket.
    case unix(path: String)

    /// Parses `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; `nil` for anything else.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            0...65535 ~= port
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: host, port: port)
    }

    /// Whether only programs of this machine can connect.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): Self.localHosts.contains(host.lowercased()) || host.hasPrefix("127.")
        }
    }

    /// The names of this machine that a `Host` field may have.
    static let localHosts: Set<String> = ["localhost", "127.0.0.1", "::1"]
}
