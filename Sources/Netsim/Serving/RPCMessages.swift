// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The end of a call (gRPC, "Status codes and their use in gRPC").
package struct RPCStatus: Error, Hashable, Sendable {
    /// The status codes that are sent here.
    package enum Code: Int, Hashable, Sendable {
        case ok = 0
        case invalidArgument = 3
        case resourceExhausted = 8
        case unimplemented = 12
        case unavailable = 14
    }

    package let code: Code
    /// A clause for people; empty for `ok`.
    package let message: String

    package init(_ code: Code, _ message: String = "") {
        self.code = code
        self.message = message
    }

    /// The value of the trailer `grpc-message`: percent-encoded (gRPC over HTTP/2, "Responses").
    var encodedMessage: String {
        var text = ""
        for byte in message.utf8 {
            if 0x20...0x7E ~= byte, byte != 0x25 {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}

/// Cuts the bytes of a call into messages: a byte that says whether it is compressed, a length of four bytes, the message (gRPC over
/// HTTP/2, "Length-Prefixed-Message").
///
/// It holds less than one message and what was appended at once.
struct RPCMessageDecoder {
    /// The longest message that is accepted, in bytes: an HCI packet has at most 65,539.
    static let messageLimit = 131_072
    private static let prefixLength = 5

    private var bytes: [UInt8] = []
    /// The index of the first byte that was not taken.
    private var start = 0

    /// Adds the next bytes of the call.
    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next complete message; `nil` until one has arrived.
    /// - Throws: `RPCStatus` for a message that is compressed or too long. Every later call throws the same.
    mutating func next() throws(RPCStatus) -> ArraySlice<UInt8>? {
        guard bytes.count - start >= Self.prefixLength else { return nil }
        guard bytes[start] == 0 else { throw RPCStatus(.unimplemented, "compressed messages are not supported") }
        let length = bytes[start + 1..<start + Self.prefixLength].reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.messageLimit else {
            throw RPCStatus(.resourceExhausted, "a message of \(length) bytes, of at most \(Self.messageLimit)")
        }
        let first = start + Self.prefixLength
        guard bytes.count - first >= length else { return nil }
        start = first + length
        return bytes[first..<start]
    }

    /// Whether the bytes end within a message.
    var isWithinMessage: Bool { start < bytes.count }

    /// The prefix of a message of this length.
    static func prefix(_ length: Int) -> [UInt8] {
        [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
    }
}
