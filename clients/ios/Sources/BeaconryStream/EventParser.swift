// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Splits a body of the type `text/event-stream` into the payloads of its `data` lines.
///
/// Beaconry writes each event as one `data` line, so a payload is complete at the end of its line; the empty line after it, comments
/// and other fields are skipped. Lines end with LF, CR or CR LF.
package struct EventParser: Sendable {
    /// The maximum number of bytes in a line; longer ones are dropped.
    package let maximumLineLength: Int
    /// The number of lines that were dropped.
    package private(set) var droppedLines = 0
    private var line = Data()
    private var isDropping = false

    /// A parser at the beginning of a body.
    package init(maximumLineLength: Int) { self.maximumLineLength = maximumLineLength }

    /// Takes the next piece of the body, cut anywhere.
    /// - Returns: the payloads of the lines that it completed.
    package mutating func take(_ piece: Data) -> [Data] {
        var payloads: [Data] = []
        var rest = piece[...]
        // The LF of a CR LF ends an empty line of its own, which means nothing.
        while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            append(rest[..<end])
            if let payload = finishLine() { payloads.append(payload) }
            rest = rest[rest.index(after: end)...]
        }
        append(rest)
        return payloads
    }

    private mutating func append(_ bytes: Data) {
        guard !isDropping else { return }
        guard line.count + bytes.count <= maximumLineLength else {
            isDropping = true
            droppedLines += 1
            line = Data()
            return
        }
        line.append(bytes)
    }

    private mutating func finishLine() -> Data? {
        defer {
            line = Data()
            isDropping = false
        }
        let field = Data("data:".utf8)
        guard line.starts(with: field) else { return nil }
        let value = line.dropFirst(field.count)
        return Data(value.first == 0x20 ? value.dropFirst() : value)
    }
}
