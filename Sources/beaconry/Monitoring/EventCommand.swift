// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CSpawn
import Glibc

/// A command that is run for an event: the event is in its environment, and as JSON on its standard input.
///
/// No shell has a part in it, so nothing in an event can become a command. What it prints goes to standard error.
struct EventCommand: Sendable {
    /// The program, looked for in PATH unless it has a slash, and its arguments.
    let arguments: [String]
    /// How long it may run.
    let timeout: Duration

    /// How it ended, when it did not end well.
    enum Trouble: Error, Hashable {
        /// It could not be started; the reason is a clause for people.
        case notStarted(String)
        /// It ended with this code.
        case failed(Int32)
        /// A signal ended it.
        case killed(Int32)
        /// It took too long, and was ended.
        case tookTooLong
    }

    /// Runs it and waits for its end; when the task is cancelled, it is ended.
    /// - Throws: `Trouble`.
    func run(environment: [String: String], input: String) async throws(Trouble) {
        let process = try start(environment, input)
        let deadline = ContinuousClock.now + timeout
        while true {
            if let status = Self.status(of: process) { return try Self.judge(status) }
            guard !Task.isCancelled, ContinuousClock.now < deadline else { break }
            try? await Task.sleep(for: .milliseconds(20))
        }
        await Self.end(process)
        throw .tookTooLong
    }

    /// Asks it and all that it started to end, and makes them a second later.
    private static func end(_ process: pid_t) async {
        kill(-process, SIGTERM)
        let deadline = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < deadline {
            if status(of: process) != nil { break }
            usleep(10_000)
            await Task.yield()
        }
        kill(-process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// `nil` while it runs.
    private static func status(of process: pid_t) -> Int32? {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == process ? status : nil
    }

    private static func judge(_ status: Int32) throws(Trouble) {
        let signal = status & 0x7F
        if signal != 0 { throw .killed(signal) }
        let code = status >> 8 & 0xFF
        if code != 0 { throw .failed(code) }
    }

    private func start(_ environment: [String: String], _ input: String) throws(Trouble) -> pid_t {
        let standardInput = try Self.pipe(holding: Array(input.utf8))
        defer { close(standardInput) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        // Sockets of libraries are not closed on exec, and one of the radio's in a child would outlive the radio.
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A group of its own, so that what it starts ends with it, and a Ctrl-C at our terminal does not reach it.
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: Int(flags)))
        var process: pid_t = 0
        let variables = Self.inherited.merging(environment) { _, own in own }.map { "\($0.key)=\($0.value)" }
        let program = arguments[0]
        let failure = Self.withStrings(arguments) { arguments in
            Self.withStrings(variables) { variables in
                posix_spawnp(&process, program, &actions, &attributes, arguments, variables)
            }
        }
        guard failure == 0 else { throw .notStarted(String(cString: strerror(failure))) }
        return process
    }

    /// The end for reading of a pipe with all of this in it: an event is smaller than what a pipe holds.
    private static func pipe(holding octets: [UInt8]) throws(Trouble) -> Int32 {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw .notStarted(String(cString: strerror(errno))) }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        guard write(ends[1], octets, octets.count) == octets.count else {
            close(ends[0])
            throw .notStarted("the event does not fit into a pipe")
        }
        return ends[0]
    }

    private static var inherited: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let text = next.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables
    }

    /// Strings as C has them, with a null pointer behind.
    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
