// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import SystemPackage

/// A file that is read in parts. Errors name the file.
struct InputFile: ~Copyable {
    let path: String
    private let descriptor: FileDescriptor
    // Without a default value: the compiler of Swift 6.2 fails on one beside an initialiser that throws.
    private var buffer: [UInt8]

    /// Opens the file.
    /// - Parameter source: how such a file is made, for the message if there is none.
    init(_ path: String, from source: String = "") throws(Failure) {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        } catch Errno.noSuchFileOrDirectory {
            throw .badData("\(path): there is no such file" + (source.isEmpty ? "" : "; \(source)"))
        } catch {
            throw .badData("cannot open \(path): \(error)")
        }
        self.path = path
        self.descriptor = descriptor
        buffer = [UInt8](repeating: 0, count: 1 << 16)
    }

    deinit { try? descriptor.close() }

    /// The next bytes; empty at the end of the file.
    mutating func next() throws(Failure) -> ArraySlice<UInt8> {
        do {
            let descriptor = descriptor
            let count = try buffer.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            return buffer[..<count]
        } catch {
            throw .badData("cannot read \(path): \(error)")
        }
    }
}

extension InputFile {
    /// The text of a short file; `nil` if it has more bytes than the limit.
    /// - Throws: `Failure` if it cannot be read.
    static func text(of path: String, limit: Int) throws(Failure) -> String? {
        var file = try InputFile(path)
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let more = try file.next()
            if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += more
        }
        return nil
    }

    /// The text of a file with a token or a key, which may come later than a service that waits for it.
    /// - Throws: `Failure` with 74, since 65 means that another start does not help.
    static func secret(in path: String, limit: Int) throws(Failure) -> String? {
        do throws(Failure) {
            return try text(of: path, limit: limit)
        } catch {
            throw Failure(exitCode: 74, message: error.message)
        }
    }
}

extension InputFile {
    /// Calls a function with each line, without its end, and its number.
    /// - Parameters:
    ///   - first: what was read already.
    ///   - longest: the length of the longest valid line, in bytes.
    ///   - fault: the error of a longer line.
    ///   - unended: called with the last line if no line feed ends it, its number and its place in the file.
    /// - Throws: the errors of the functions, and `Failure` for an empty file.
    mutating func readLines(
        after first: ArraySlice<UInt8>, longest: Int, fault: (Int) -> Failure,
        _ body: (ArraySlice<UInt8>, Int) throws -> Void,
        unended: (ArraySlice<UInt8>, Int, Int) throws -> Void
    ) throws {
        var rest = first
        var number = 0
        var size = first.count
        while true {
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                try body(rest[..<end], number)
                rest = rest[(end + 1)...]
            }
            guard rest.count <= longest else { throw fault(number + 1) }
            let more = try next()
            if more.isEmpty { break }
            size += more.count
            rest = (Array(rest) + more)[...]
        }
        if !rest.isEmpty { try unended(rest, number + 1, size - rest.count) }
        guard number > 0 || !rest.isEmpty else { throw Failure.badData("\(path) is empty") }
    }
}
