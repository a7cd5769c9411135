// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import SystemPackage

/// A file that is read in parts. Errors name the file.
struct InputFile: ~Copyable {
    let path: String
    private let descriptor: FileDescriptor
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Opens the file.
    init(_ path: String) throws(Failure) {
        self.path = path
        do {
            descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        } catch {
            throw .badData("cannot open \(path): \(error)")
        }
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
