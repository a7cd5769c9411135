// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Subprocess
import SystemPackage

/// A process of this program that does runs of a sweep (`SweepWorker`). It ends with this process, however that ends.
final class SweepProcess: Sendable {
    /// How it ended.
    enum End: Hashable {
        case exited(Int32)
        case killed(Int32)
    }

    private let input: FileDescriptor
    private let process: Task<End, Never>
    /// The lines of its output; the end of the output is the end of the lines.
    let lines: AsyncStream<String>

    /// Starts a process.
    /// - Parameter copy: the sweep, on one line.
    /// - Throws: `Failure` if it cannot be started.
    init(_ copy: String) throws(Failure) {
        let (inputReader, inputWriter, outputReader, outputWriter): (Int32, Int32, Int32, Int32)
        do {
            (inputReader, inputWriter) = try Self.pipe()
            (outputReader, outputWriter) = try Self.pipe()
        } catch {
            throw Failure(exitCode: 71, message: "no process can be started: \(error); raise the limits of this user")
        }
        input = FileDescriptor(rawValue: inputWriter)
        process = Task {
            var options = PlatformOptions()
            // Ctrl-C at the terminal is for this process, which ends the others.
            options.processGroupID = 0
            do {
                let result = try await Subprocess.run(
                    .path("/proc/self/exe"),
                    arguments: Arguments(executablePathOverride: "beaconry", remainingValues: ["sweep", "--worker"]),
                    platformOptions: options,
                    input: .fileDescriptor(FileDescriptor(rawValue: inputReader), closeAfterSpawningProcess: true),
                    output: .fileDescriptor(FileDescriptor(rawValue: outputWriter), closeAfterSpawningProcess: true),
                    error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false))
                switch result.terminationStatus {
                case .exited(let code): return .exited(code)
                case .signaled(let signal): return .killed(signal)
                }
            } catch {
                Output.note("beaconry: no process can be started: \(error)")
                return .exited(71)
            }
        }
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        DispatchQueue(label: "sweep-output").async {
            guard let stream = fdopen(outputReader, "r") else { return continuation.finish() }
            var buffer: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while case let count = getline(&buffer, &capacity, stream), count > 0, let start = buffer {
                let bytes = UnsafeRawBufferPointer(start: start, count: count)
                // A process that was killed may have written half a line.
                guard bytes.last == UInt8(ascii: "\n") else { break }
                continuation.yield(String(decoding: bytes.dropLast(), as: UTF8.self))
            }
            free(buffer)
            fclose(stream)
            continuation.finish()
        }
        send(copy)
    }

    deinit { try? input.close() }

    /// Sends a line. A process that has ended does not read it, which its output shows.
    func send(_ line: String) { _ = try? input.writeAll("\(line)\n".utf8) }

    /// The end of the process.
    var end: End {
        get async { await process.value }
    }

    /// A connection, used as a pipe, whose ends other processes do not inherit, also those that are started at the same
    /// time.
    private static func pipe() throws(Errno) -> (readEnd: Int32, writeEnd: Int32) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        return (ends[0], ends[1])
    }
}
