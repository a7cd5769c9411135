// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Emulator
import Glibc
import JSON
import Synchronization
import SystemPackage

/// The two streams of a command: results on standard output, notes for people on standard error.
///
/// All text, whatever its source, passes through `SafeText` here.
///
/// Results that cannot be written end a command: silently, as SIGPIPE does, if the reader has closed its end; otherwise
/// with exit code 74 and a sentence. A receiving command closes its radio first (`Listening`). `run` continues
/// (`continueAfterErrors`) and fails at its end.
package enum Output {
    /// One of the two streams.
    package enum Stream: Sendable {
        /// Standard output.
        case results
        /// Standard error.
        case notes
    }

    /// Why results cannot be written.
    package enum Trouble: Error, Hashable {
        /// The reader has closed its end of standard output.
        case readerLeft
        /// The system's error number.
        case failed(Int32)
        /// The reader has stopped reading.
        case stalled
    }

    private struct State {
        var continuesAfterErrors = false
        var isWatched = false
        var trouble: Trouble?
        /// The number of results that could not be written.
        var lostCount = 0
        /// Whether only part of the last line was written.
        var isTorn = false
        var writeStart: ContinuousClock.Instant?
        var listener: AsyncStream<Trouble>.Continuation?
    }

    private static let state = Mutex(State())
    /// The longest wait for a stalled reader, and for a slow one, at the end.
    private static let patience = (stalled: Duration.seconds(2), slow: Duration.seconds(10))

    /// Prints a result on one line, unbuffered, even into a pipe.
    package static func line(_ text: String) { write(SafeText.line(text) + "\n") }

    /// Prints results, one on each line.
    package static func lines(_ lines: [String]) {
        if !lines.isEmpty { write(lines.map { SafeText.line($0) + "\n" }.joined()) }
    }

    /// Prints text that may control a terminal; it must not contain text from other sources.
    static func raw(_ text: String) { write(text) }

    /// Prints a note for people on one line.
    package static func note(_ text: String) { writeNote(SafeText.line(text) + "\n") }

    /// Prints a note without a line end; it may control a terminal.
    static func rawNote(_ text: String) { writeNote(text) }

    // MARK: - Results that cannot be written

    /// Why results could not be written; `nil` if all were written.
    static var trouble: Trouble? { state.withLock(\.trouble) }

    /// From now on drops results that cannot be written: the command serves others besides its reader.
    package static func continueAfterErrors() { state.withLock { $0.continuesAfterErrors = true } }

    /// Reports a failure to write, instead of ending the process at once. One listener at a time.
    static func troubles() -> AsyncStream<Trouble> {
        let (stream, continuation) = AsyncStream.makeStream(of: Trouble.self)
        state.withLock { state in
            state.listener = continuation
            if let trouble = state.trouble { continuation.yield(trouble) }
        }
        watchReader()
        return stream
    }

    /// Ends `troubles`.
    static func ignoreTroubles() { state.withLock { $0.listener = nil } }

    /// Detects at once that the reader has closed its end; a command that has nothing to write would not notice.
    package static func watchReader() {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        let wasWatched = state.withLock { state in
            defer { state.isWatched = true }
            return state.isWatched
        }
        guard !wasWatched else { return }
        DispatchQueue(label: "output-reader").async {
            // No events are requested: only errors are reported.
            var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&entry, 1, -1) < 0, errno == EINTR {}
            if entry.revents & Int16(POLLERR | POLLHUP) != 0 { fail(.readerLeft) }
        }
    }

    /// Ends the process because results cannot be written.
    package static func end(_ trouble: Trouble) -> Never {
        Terminal.leave()
        switch trouble {
        case .readerLeft:
            // Sockets need an ignored SIGPIPE; here the default action ends the process.
            signal(SIGPIPE, SIG_DFL)
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(SIGPIPE)
            _exit(128 + SIGPIPE)
        case .failed, .stalled:
            note("beaconry: \(sentence(trouble))")
            _exit(74)
        }
    }

    /// The reason as a sentence.
    static func sentence(_ trouble: Trouble) -> String {
        switch trouble {
        case .readerLeft: "the reader of standard output has closed it"
        case .failed(let code):
            "cannot write to standard output: \(Errno(rawValue: code)); make room, or redirect it"
        case .stalled: "the reader of standard output has stopped reading, so the last results are lost"
        }
    }

    /// Ends the process on one of these signals if a stalled reader prevents its normal end.
    static func endIfStalled(on signals: [Int32]) -> [any DispatchSourceSignal] {
        signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: guardQueue)
            source.setEventHandler {
                guardQueue.asyncAfter(deadline: .now() + .seconds(2)) { endIfStalled() }
            }
            source.activate()
            return source
        }
    }

    private static let guardQueue = DispatchQueue(label: "output-guard")

    private static func endIfStalled() {
        if stall >= patience.stalled {
            state.withLock { $0.trouble = .stalled }
            end(.stalled)
        }
        guardQueue.asyncAfter(deadline: .now() + .milliseconds(100)) { endIfStalled() }
    }

    /// How long the current write has blocked.
    private static var stall: Duration {
        state.withLock(\.writeStart).map { $0.duration(to: .now) } ?? .zero
    }

    /// Waits for a task that writes, but not for a stalled reader.
    /// - Throws: `Failure` if results were lost, unless the reader has closed its end.
    package static func finish(_ writing: Task<Void, Never>) async throws(Failure) {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let waiting = Task {
            await writing.value
            end.yield(true)
        }
        let watching = Task {
            let start = ContinuousClock.now
            while !Task.isCancelled, start.duration(to: .now) < patience.slow {
                // A reader that did not read before has its time from now on.
                guard min(stall, start.duration(to: .now)) < patience.stalled else { break }
                try? await Task.sleep(for: .milliseconds(20))
            }
            end.yield(false)
        }
        var isComplete = false
        for await isOver in ends {
            isComplete = isOver
            break
        }
        waiting.cancel()
        watching.cancel()
        let (trouble, lostCount) = state.withLock { state in
            if !isComplete { state.trouble = .stalled }
            return (state.trouble, state.lostCount)
        }
        guard let trouble, trouble != .readerLeft else { return }
        let lost = lostCount > 0 ? " (\(lostCount) lost)" : ""
        throw Failure(exitCode: 74, message: sentence(trouble) + lost)
    }

    private static func fail(_ trouble: Trouble) {
        let (isNew, continuesAfterErrors, listener) = state.withLock { state in
            defer { state.trouble = state.trouble ?? trouble }
            return (state.trouble == nil, state.continuesAfterErrors, state.listener)
        }
        if continuesAfterErrors {
            if isNew, trouble != .readerLeft { note("warning: \(sentence(trouble)); the run continues") }
        } else if let listener {
            listener.yield(trouble)
        } else {
            end(trouble)
        }
    }

    private static func write(_ text: String) {
        let (isLost, isTorn, trouble) = state.withLock { state -> (Bool, Bool, Trouble?) in
            // A full disk may have room again; a reader that has closed its end does not return.
            let isLost =
                switch state.trouble {
                case nil: false
                case .failed: !state.continuesAfterErrors
                case .readerLeft, .stalled: true
                }
            if isLost { state.lostCount += 1 }
            state.writeStart = .now
            return (isLost, state.isTorn, state.trouble)
        }
        defer { state.withLock { $0.writeStart = nil } }
        if isLost {
            if let trouble { fail(trouble) }
            return
        }
        let bytes = Array((isTorn ? "\n" : "").utf8) + Array(text.utf8)
        let (count, code) = write(bytes, to: STDOUT_FILENO)
        state.withLock { state in
            if count > 0 { state.isTorn = count < bytes.count }
            if count < bytes.count { state.lostCount += 1 }
        }
        guard count < bytes.count else { return }
        // A closed terminal returns EIO, perhaps before SIGHUP arrives.
        let hasLeft = code == EPIPE || code == EIO && Hangup.isTerminal(STDOUT_FILENO)
        fail(hasLeft ? .readerLeft : .failed(code))
    }

    private static func writeNote(_ text: String) {
        // Do not wait for a stalled pipe again: standard error may be the same one.
        if state.withLock({ $0.trouble == .stalled }) {
            var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return }
        }
        _ = write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Writes all bytes, or as many as possible: unlike `writeAll`, it counts what was written before an error.
    /// - Returns: the number of bytes, and the error number of the last call.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> (count: Int, code: Int32) {
        let stream = FileDescriptor(rawValue: descriptor)
        var rest = bytes[...]
        while !rest.isEmpty {
            do {
                let count = try rest.withUnsafeBytes { try stream.write($0) }
                rest = rest.dropFirst(count)
            } catch Errno.resourceTemporarilyUnavailable {
                // Another process has made this pipe non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            } catch {
                return (bytes.count - rest.count, (error as? Errno)?.rawValue ?? EIO)
            }
        }
        return (bytes.count, 0)
    }
}

/// Runs tasks that write, on a separate thread, because a stalled reader blocks it.
package final class OutputExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "output")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
