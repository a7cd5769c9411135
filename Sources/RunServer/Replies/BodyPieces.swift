// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import RunAPI

/// JSON in pieces, each of which is encoded when it is needed.
struct BodyPieces {
    /// The size from which on a piece is complete, in bytes.
    static let size = 16_384

    private let body: JSONBody
    private var next = 0
    private var hasParts = false
    private var encoded = 0
    private(set) var isAtEnd = false

    init(_ body: JSONBody) { self.body = body }

    /// About what the records take that are not encoded yet, in bytes: twice what their text would. 400 lists of 1,500
    /// beacons with 64 MiB of text took 130 MB.
    var held: Int {
        guard !body.isShared, next > 0 else { return 0 }
        return 2 * encoded / next * (body.count - next)
    }

    /// The next piece; `nil` after the last one.
    mutating func next() async -> String? {
        guard !isAtEnd else { return nil }
        var text = next == 0 ? body.opening : ""
        while next < body.count, text.utf8.count < Self.size {
            if let part = await body.part(next), !part.isEmpty {
                if hasParts { text += "," }
                text += part
                hasParts = true
            }
            next += 1
        }
        encoded += text.utf8.count
        if next == body.count {
            text += body.closing
            isAtEnd = true
        }
        return text
    }
}
