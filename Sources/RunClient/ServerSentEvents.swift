// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The parser of a stream of server-sent events (HTML, 9.2.6). Their types and identifiers are ignored: the data of an event of
/// a run has both.
struct ServerSentEventParser {
    /// The longest line, and the longest data of an event, in bytes; what is longer is cut off.
    private static let longest = 1 << 20

    private var line: [UInt8] = []
    private var data: String?
    private var endsWithReturn = false

    /// The data of the events that these bytes complete.
    mutating func take(_ bytes: [UInt8]) -> [String] {
        var events: [String] = []
        for byte in bytes {
            defer { endsWithReturn = byte == UInt8(ascii: "\r") }
            switch byte {
            case UInt8(ascii: "\n") where endsWithReturn: continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if let event = endLine() { events.append(event) }
            default: if line.count < Self.longest { line.append(byte) }
            }
        }
        return events
    }

    private mutating func endLine() -> String? {
        defer { line = [] }
        guard !line.isEmpty else {
            defer { data = nil }
            return data
        }
        let text = String(decoding: line, as: UTF8.self)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == "data" else { return nil }
        var value = parts.count > 1 ? parts[1] : ""
        if value.first == " " { value.removeFirst() }
        guard let before = data else {
            data = String(value)
            return nil
        }
        if before.utf8.count < Self.longest { data = "\(before)\n\(value)" }
        return nil
    }
}
