// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The text `HOST:PORT`, where an IPv6 address is in brackets.
package struct HostAndPort: Hashable, Sendable {
    /// A host name or an IP address.
    package let host: String
    /// 0 to 65,535.
    package let port: Int

    /// A host name or an IP address, and a port.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether the host is an address that only programs of this machine reach: 127.0.0.0/8, in any form that inet_aton(3) reads, or
    /// ::1 (RFC 6890, 2.2.2 and 2.2.3).
    package var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0) }
        return host == "::1" || 2...4 ~= parts.count && parts.first == 127 && !parts.contains(nil)
    }

    /// Reads a text; `nil` if it is not of that form.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: Int(port))
    }
}

extension HostAndPort: CustomStringConvertible {
    /// An IPv6 address has brackets (RFC 3986, 3.2.2).
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
