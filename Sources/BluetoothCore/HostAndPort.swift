// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The text `HOST:PORT`, where an IPv6 address is in brackets.
package struct HostAndPort: Hashable, Sendable {
    /// A host name or an IP address.
    package let host: String
    /// 0 to 65,535.
    package let port: Int

    /// Reads a text; `nil` if it is not of that form.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = Int(port)
    }
}
