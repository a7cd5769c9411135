// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Emulator
import JSON
import Persistence
import Receiving
import SystemPackage

/// Writes a recording into a temporary file, which gets its final name when it is complete.
struct RecordingWriter {
    private static let bufferSize = 1 << 16

    let path: String
    private let temporary: String
    private let files = LocalFileSystem()
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    /// The number of lines after the first.
    private(set) var count = 0

    /// Begins the file.
    /// - Throws: `Failure` when it cannot be created.
    init(_ path: String, head: RecordingHead) throws {
        self.path = path
        temporary = path + ".part"
        do throws(SystemError) {
            descriptor = try files.create(temporary)
        } catch {
            throw Failure(exitCode: 73, message: "\(error); choose another file")
        }
        append(JSONLine.encode(head))
    }

    /// Adds an advertisement.
    /// - Throws: `SystemError`.
    mutating func write(_ recorded: RecordedSighting) throws(SystemError) {
        append(JSONLine.encode(RecordingLine(recorded)))
        count += 1
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Syncs the file and gives it its name, replacing an existing one.
    /// - Throws: `SystemError`.
    mutating func finish() throws(SystemError) {
        try flush()
        try files.synchronize(descriptor)
        files.close(descriptor)
        try files.rename(temporary, to: path)
    }

    private mutating func append(_ line: String) {
        buffer += Array(line.utf8)
        buffer.append(UInt8(ascii: "\n"))
    }

    private mutating func flush() throws(SystemError) {
        try files.writeAll(buffer, to: descriptor)
        buffer.removeAll(keepingCapacity: true)
    }
}
