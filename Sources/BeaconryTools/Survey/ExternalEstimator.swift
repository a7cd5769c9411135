// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Glibc
import JSON
import Receiving
import Space
import SystemPackage

/// A command of a user that estimates places: it gets readings on its standard input, and answers on its standard output.
///
/// Nothing of it remains: it is in a process group of its own, which is killed at the end, also when this process is.
final class ExternalEstimator: PlaceEstimating {
    /// The time limit of an answer, in real time.
    private static let patience = Duration.seconds(10)
    /// More than this without a line end is no answer.
    private static let longestAnswer = 65_536

    private let name: String
    private let header: EstimatorHeader
    private let building: Building
    private let rooms: Set<String>
    private let process: pid_t
    private let (input, output): (FileDescriptor, FileDescriptor)
    private let guardian: Lifeline
    /// What is to be written.
    private var pending: [UInt8] = []
    /// What was read beyond the last answer.
    private var received: [UInt8] = []

    /// Kills the group whose number it reads, when its input ends.
    private static let script = """
        read -r group || exit
        while read -r line; do :; done
        kill -KILL -"$group"
        """

    /// Starts it.
    /// - Throws: `Failure` if it cannot be started.
    init(_ words: [String], _ header: EstimatorHeader, in building: Building) throws {
        name = words.joined(separator: " ")
        self.building = building
        self.header = header
        rooms = Set(header.rooms.map(\.id))
        guard let program = ExecutableSearch.find(words[0]) else {
            throw Failure.badData(
                words[0].contains("/")
                    ? "there is no file \(words[0]), which the estimator names; check its path"
                    : "there is no command \(words[0]); check its spelling, or give its path, such as exec:./\(words[0])"
            )
        }
        guard access(program, X_OK) == 0 else {
            throw Failure.badData("\(program) is not executable; make it so (chmod +x \(program))")
        }
        let (toChild, fromChild) = (try Lifeline.makePipe(), try Lifeline.makePipe())
        defer {
            try? toChild.readEnd.close()
            try? fromChild.writeEnd.close()
        }
        (input, output) = (toChild.writeEnd, fromChild.readEnd)
        // It waits for the number of the process.
        guardian = try Lifeline(Self.script, [])
        do throws(Errno) {
            process = try Self.spawn(program, words, input: toChild.readEnd, output: fromChild.writeEnd)
        } catch {
            guardian.release()
            try? input.close()
            try? output.close()
            throw Failure.badData(
                "\(program) cannot be executed: \(error); name its interpreter in its first line, or before it, such as "
                    + "exec:python3 \(program)")
        }
        guardian.send("\(process)")
        for end in [input, output] { _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK) }
        write(JSONLine.encode(header))
    }

    private static func spawn(
        _ program: String, _ words: [String], input: FileDescriptor, output: FileDescriptor
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.rawValue, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.rawValue, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
        posix_spawnattr_setpgroup(&attributes, 0)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var identifier = pid_t()
        let result = posix_spawn(&identifier, program, &actions, &attributes, &arguments, environ)
        guard result == 0 else { throw Errno(rawValue: result) }
        return identifier
    }

    func take(_ reading: AnchorReading) throws {
        write(header.line(of: reading))
        // Not more in memory than a pipe holds several times.
        if pending.count > Self.longestAnswer { try exchange(until: { $0.pending.isEmpty }, "take what it is sent") }
    }

    func estimate(at time: Duration) throws -> PlaceEstimate {
        let seconds = time / .seconds(1)
        if !received.isEmpty { throw failure("has written more than one line for an estimate") }
        write(JSONLine.encode(["until": seconds]))
        try exchange(
            until: { $0.pending.isEmpty && $0.received.contains(UInt8(ascii: "\n")) },
            "answer for \(Formatting.hundredths(seconds)) s")
        guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else { throw failure("has not answered") }
        let line = Array(received[..<end])
        received.removeFirst(end + 1)
        do throws(EstimatorAnswer.Fault) {
            return try EstimatorAnswer(line, at: seconds, among: rooms).located(in: building)
        } catch {
            let text = SafeText.line(String(decoding: line.prefix(80), as: UTF8.self))
            throw failure("answered for \(Formatting.hundredths(seconds)) s with \"\(text)\", which \(error.text)")
        }
    }

    func end() {
        try? input.close()
        try? output.close()
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guardian.release()
    }

    // MARK: - Pipes

    private func write(_ line: String) { pending += Array(line.utf8) + [UInt8(ascii: "\n")] }

    /// Writes what is pending and reads what is there, until a condition holds.
    /// - Parameter task: what it should do, as a clause after "did not".
    private func exchange(until isDone: (ExternalEstimator) -> Bool, _ task: String) throws {
        let deadline = ContinuousClock.now + Self.patience
        while !isDone(self) {
            let rest = deadline - ContinuousClock.now
            guard rest > .zero else { throw failure("did not \(task) within 10 s") }
            var ends = [
                pollfd(fd: pending.isEmpty ? -1 : input.rawValue, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ends, 2, Int32(rest / .milliseconds(1)) + 1) >= 0 || errno == EINTR else {
                throw failure("cannot be read: \(Errno(rawValue: errno))")
            }
            if ends[1].revents != 0 { try readSome() }
            if ends[0].revents & Int16(POLLOUT) != 0 {
                let count = pending.withUnsafeBytes { Glibc.write(input.rawValue, $0.baseAddress, $0.count) }
                if count > 0 { pending.removeFirst(count) }
            } else if ends[0].revents != 0 {
                throw ended()
            }
        }
    }

    private func readSome() throws {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(output.rawValue, &bytes, bytes.count)
        if count == 0 { throw ended() }
        guard count > 0 else { return }
        received += bytes.prefix(count)
        if received.count(where: { $0 == UInt8(ascii: "\n") }) > 1 {
            throw failure("has written more than one line for an estimate")
        }
        if received.count > Self.longestAnswer { throw failure("has written a line of more than 64 KiB") }
    }

    private func ended() -> Failure {
        var status: Int32 = 0
        // It has closed its end; the process ends about now, or goes on without it.
        var attempts = 100
        while attempts > 0, waitpid(process, &status, WNOHANG | __WNOTHREAD) == 0 {
            attempts -= 1
            usleep(10_000)
        }
        let signal = status & 0x7f
        let how = signal == 0 ? "exit code \(status >> 8 & 0xff)" : "signal \(signal)"
        return failure("has ended, with \(how), before its last answer")
    }

    private func failure(_ clause: String) -> Failure {
        Failure(exitCode: 65, message: "the estimator \(name) \(clause); docs/surveys.md has what it gets and answers")
    }
}
