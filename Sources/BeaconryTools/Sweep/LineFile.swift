// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Persistence
import SystemPackage

/// Reads the lines of a file one after the other, whatever its size is.
struct LineReader {
    /// A line.
    struct Line {
        /// The number of the line, from 1.
        let number: Int
        /// The number of bytes before it.
        let offset: Int
        /// Without its end.
        let bytes: [UInt8]
        /// Whether it has an end, as every line that was written completely.
        let isComplete: Bool
    }

    /// The longest line: a header with all variants.
    private static let maximumLength = 1 << 24

    private let file: FileDescriptor
    private let path: String
    private var rest: ArraySlice<UInt8> = []
    private var offset = 0
    private var number = 0
    private var hasEnded = false

    /// A reader from the beginning of an open file.
    init(_ file: FileDescriptor, _ path: String) {
        self.file = file
        self.path = path
    }

    /// The next line; `nil` at the end.
    mutating func next() throws -> Line? {
        var searched = 0
        while true {
            if let end = rest.dropFirst(searched).firstIndex(of: 0x0A) { return take(upTo: end, isComplete: true) }
            searched = rest.count
            if hasEnded { return rest.isEmpty ? nil : take(upTo: rest.endIndex, isComplete: false) }
            guard rest.count <= Self.maximumLength else {
                throw Failure.badData("the line is too long", in: path, line: number + 1, column: 0)
            }
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let start = offset + rest.count
            let count: Int
            do {
                count = try chunk.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: Int64(start), into: $0) }
            } catch {
                throw SystemError(thrown: error, attempt: "read \(path)")
            }
            hasEnded = count == 0
            rest = ArraySlice(Array(rest) + chunk[..<count])
        }
    }

    private mutating func take(upTo end: Int, isComplete: Bool) -> Line {
        let bytes = Array(rest[..<end])
        number += 1
        let line = Line(number: number, offset: offset, bytes: bytes, isComplete: isComplete)
        offset += bytes.count + (isComplete ? 1 : 0)
        rest = rest[end...].dropFirst(isComplete ? 1 : 0)
        return line
    }
}
