// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Where the HTTP server of a run listens on TCP.
package struct ControlAddress: Hashable, Sendable {
    /// A host name or an IP address.
    package let host: String
    /// 0 for any free one.
    package let port: Int

    /// Parses `HOST:PORT` or `[IPV6]:PORT`; `nil` for anything else.
    package init?(_ text: String) {
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
        self.host = host
        self.port = port
    }

    /// Whether only programs of this machine can connect.
    package var isLocal: Bool {
        Self.localHosts.contains(host.lowercased()) || HostAndPort(host: host, port: port).isLoopback
    }

    /// The names of this machine that a `Host` field may have.
    static let localHosts: Set<String> = ["localhost", "127.0.0.1", "::1"]
    /// The addresses by which Android's emulator and Genymotion reach this machine. A page of another origin cannot use them to
    /// control a run: by DNS rebinding, the `Host` field has the name of the page.
    static let emulatorHosts: Set<String> = ["10.0.2.2", "10.0.3.2"]
}
