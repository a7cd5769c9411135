// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Emulator
import JSON
import Persistence
import Receiving
import SystemPackage

/// Writes a recording into an output file.
struct RecordingWriter {
    private static let bufferSize = 1 << 16

    private let file: OutputFile
    private var buffer: [UInt8] = []
    /// The number of lines after the first.
    private(set) var count = 0

    var path: String { file.path }

    /// Begins the file.
    /// - Throws: `Failure` when it cannot be created.
    init(_ path: String, head: RecordingHead) throws {
        do throws(SystemError) {
            file = try OutputFile(path)
        } catch {
            throw Failure(exitCode: 73, message: "\(error); choose another file")
        }
        append(JSONLine.encode(head))
    }

    /// Adds an advertisement.
    /// - Throws: `SystemError`.
    /// - Parameter truth: where the receiver and the beacon really were; `nil` if that is not known.
    mutating func write(_ recorded: RecordedSighting, truth: TruthRecord? = nil) throws(SystemError) {
        append(JSONLine.encode(RecordingLine(recorded, truth: truth)))
        count += 1
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Completes the file.
    /// - Throws: `SystemError`.
    mutating func finish() throws(SystemError) {
        try flush()
        try file.finish()
    }

    private mutating func append(_ line: String) {
        buffer += Array(line.utf8)
        buffer.append(UInt8(ascii: "\n"))
    }

    private mutating func flush() throws(SystemError) {
        try file.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
