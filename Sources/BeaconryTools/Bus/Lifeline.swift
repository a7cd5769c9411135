// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Subprocess
import SystemPackage

/// A shell that outlives this process for a moment, to clean up after it: the script reads standard input, which ends when
/// this process ends, also by SIGKILL.
final class Lifeline: Sendable {
    private let pipe: FileDescriptor
    private let shell: Task<Void, Never>

    /// Starts a script.
    /// - Parameters:
    ///   - arguments: the arguments of the script, from `$1`.
    ///   - output: the standard output of the script, which is closed here; `nil` for none.
    /// - Throws: `Errno`.
    init(_ script: String, _ arguments: [String], output: FileDescriptor? = nil) throws {
        let (readEnd, writeEnd) = try Self.makePipe()
        let nowhere = try output ?? FileDescriptor.open("/dev/null", .writeOnly, options: .closeOnExec)
        pipe = writeEnd
        shell = Task {
            var options = PlatformOptions()
            // Ctrl-C at our terminal must not end the shell before this process.
            options.processGroupID = 0
            _ = try? await Subprocess.run(
                .path("/bin/sh"), arguments: Arguments(["-c", script, "beaconry"] + arguments),
                platformOptions: options,
                input: .fileDescriptor(readEnd, closeAfterSpawningProcess: true),
                output: .fileDescriptor(nowhere, closeAfterSpawningProcess: true),
                error: output == nil
                    ? .fileDescriptor(nowhere, closeAfterSpawningProcess: false)
                    : .fileDescriptor(.standardError, closeAfterSpawningProcess: false))
        }
    }

    /// Sends a line to the script.
    func send(_ line: String) { _ = try? pipe.writeAll("\(line)\n".utf8) }

    /// Ends the input of the script, and waits for its end.
    func close() async {
        try? pipe.close()
        await shell.value
    }

    /// Ends the input of the script, without waiting for its end.
    func release() { try? pipe.close() }

    /// A pipe whose ends are closed in child processes.
    static func makePipe() throws -> (readEnd: FileDescriptor, writeEnd: FileDescriptor) {
        let ends = try FileDescriptor.pipe()
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// Reads a line, and closes the descriptor; `nil` if it ends before.
    static func firstLine(of file: FileDescriptor) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "first line").async {
                var text: [UInt8] = []
                var byte = [UInt8](repeating: 0, count: 1)
                while text.count < 4096, (try? byte.withUnsafeMutableBytes({ try file.read(into: $0) })) == 1,
                    byte[0] != UInt8(ascii: "\n")
                {
                    text.append(byte[0])
                }
                try? file.close()
                let isComplete = byte[0] == UInt8(ascii: "\n") && !text.isEmpty
                continuation.resume(returning: isComplete ? String(decoding: text, as: UTF8.self) : nil)
            }
        }
    }
}
