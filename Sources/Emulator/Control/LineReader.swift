// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of bytes into lines; one that is too long is handed on cut, and the rest of it dropped.
struct LineReader {
    private let maximumLength: Int
    private var rest: [UInt8] = []
    private var isSkipping = false

    /// - Parameter maximumLength: the longest line that is taken whole, in bytes.
    init(maximumLength: Int = ControlRequest.maximumLength) { self.maximumLength = maximumLength }

    /// The lines that these bytes complete, without their ends; empty ones are left out.
    mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !rest.isEmpty, !isSkipping { lines.append(rest) }
                rest = []
                isSkipping = false
            } else if !isSkipping {
                rest.append(byte)
                if rest.count > maximumLength {
                    lines.append(rest)
                    rest = []
                    isSkipping = true
                }
            }
        }
        return lines
    }
}
