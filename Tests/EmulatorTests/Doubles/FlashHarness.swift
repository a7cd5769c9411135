// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A process that writes to flash until it is killed; see Tests/FlashHarness.
struct FlashHarness {
    struct Failure: Error { let message: String }

    private let process: pid_t
    private let output: Int32
    private var rest: [UInt8] = []
    /// The numbers that it has printed so far.
    private(set) var numbers: [UInt32] = []

    /// Starts it on a state folder.
    init(state: String) throws {
        let program = try Self.program()
        // Not a pipe: a socket pair can be created so that no other child inherits it.
        var pair: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw Failure(message: "no sockets: \(errno)") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pair[1], STDOUT_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(state), nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let result = posix_spawn(&process, program, &actions, nil, &arguments, environ)
        close(pair[1])
        guard result == 0 else {
            close(pair[0])
            throw Failure(message: "\(program) cannot be started: \(result)")
        }
        self.process = process
        output = pair[0]
    }

    /// Waits until the process has printed a number of numbers.
    mutating func read(count: Int) throws {
        while numbers.count < count {
            guard readMore() else { throw Failure(message: "it ended after \(numbers.count) numbers") }
        }
    }

    /// Kills the process, and reads the rest of its output.
    mutating func kill() throws {
        Glibc.kill(process, SIGKILL)
        while readMore() {}
        close(output)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status & 0x7F == SIGKILL else { throw Failure(message: "it ended by itself, with status \(status)") }
    }

    private mutating func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(output, &buffer, buffer.count)
        guard count > 0 else { return false }
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if let number = UInt32(String(decoding: rest[..<end], as: UTF8.self)) { numbers.append(number) }
            rest.removeSubrange(...end)
        }
        return true
    }

    /// The path: from the environment, or beside the test program.
    private static func program() throws -> String {
        let said = ProcessInfo.processInfo.environment["BEACONRY_FLASH_HARNESS"]
        let running = [try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")]
        let folders = (running + [Bundle.main.executablePath, CommandLine.arguments.first]).compactMap { $0 }
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let candidates = [said].compactMap { $0 } + folders.map { "\($0)/flash-harness" }
        guard let program = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw Failure(message: "flash-harness is not at \(candidates); set BEACONRY_FLASH_HARNESS")
        }
        return program
    }
}
