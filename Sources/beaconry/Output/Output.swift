// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Emulator
import Glibc
import Synchronization

/// The two streams of a command: results on standard output, words for people on standard error.
///
/// All text passes through `SafeText` here, at the edge, whoever made it.
///
/// Results that cannot be written end a command: quietly, as SIGPIPE does, when the reader has left; else with exit code 74
/// and a sentence. A receiving command closes its radio first (`Listening`). `run` goes on (`goOn`), and fails at its end.
enum Output {
    /// Why results cannot be written.
    enum Trouble: Error, Hashable {
        /// Whoever read standard output has closed it.
        case readerLeft
        /// The system's error number.
        case failed(Int32)
        /// Nothing is taken from standard output any more.
        case stalled
    }

    private struct State {
        var goesOn = false
        var isWatched = false
        var trouble: Trouble?
        /// How many results could not be written.
        var lostCount = 0
        /// Whether the last line was written in part.
        var isTorn = false
        var writeBegan: ContinuousClock.Instant?
        var listener: AsyncStream<Trouble>.Continuation?
    }

    private static let state = Mutex(State())
    /// How long a stalled reader is waited for at the end.
    private static let patience = (stalled: Duration.seconds(2), slow: Duration.seconds(10))

    /// A result, on a line of its own; seen at once, even through a pipe.
    static func line(_ text: String) { write(SafeText.line(text) + "\n") }

    /// Results, each on a line of its own.
    static func lines(_ lines: [String]) {
        if !lines.isEmpty { write(lines.map { SafeText.line($0) + "\n" }.joined()) }
    }

    /// Characters that steer a terminal, none of them from elsewhere.
    static func raw(_ text: String) { write(text) }

    /// Words for people.
    static func note(_ text: String) { writeNote(SafeText.line(text) + "\n") }

    /// Words for people, without a line end; they may steer a terminal.
    static func rawNote(_ text: String) { writeNote(text) }

    // MARK: - Results that cannot be written

    /// Why results could not be written, if so.
    static var trouble: Trouble? { state.withLock(\.trouble) }

    /// From now on results that cannot be written are left out: the command is a service for others than its reader.
    static func goOn() { state.withLock { $0.goesOn = true } }

    /// Gives the trouble when there is some, instead of ending the process at once; one listener at a time.
    static func troubles() -> AsyncStream<Trouble> {
        let (stream, continuation) = AsyncStream.makeStream(of: Trouble.self)
        state.withLock { state in
            state.listener = continuation
            if let trouble = state.trouble { continuation.yield(trouble) }
        }
        watchReader()
        return stream
    }

    /// Ends what `troubles` began.
    static func ignoreTroubles() { state.withLock { $0.listener = nil } }

    /// Notices at once that the reader has left: a command that has nothing to write for a while would run on.
    static func watchReader() {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        let wasWatched = state.withLock { state in
            defer { state.isWatched = true }
            return state.isWatched
        }
        guard !wasWatched else { return }
        DispatchQueue(label: "output-reader").async {
            // Without events asked for, there is nothing but errors.
            var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&entry, 1, -1) < 0, errno == EINTR {}
            if entry.revents & Int16(POLLERR | POLLHUP) != 0 { fail(.readerLeft) }
        }
    }

    /// Ends the process for results that cannot be written.
    static func end(_ trouble: Trouble) -> Never {
        Terminal.leave()
        switch trouble {
        case .readerLeft:
            // As if SIGPIPE had not been ignored for the sake of sockets.
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

    /// What is wrong, in words.
    static func sentence(_ trouble: Trouble) -> String {
        switch trouble {
        case .readerLeft: "the reader of standard output has left"
        case .failed(let code):
            "cannot write to standard output: \(String(cString: strerror(code))); make room, or redirect it"
        case .stalled: "the reader of standard output takes nothing, so the last results are lost"
        }
    }

    /// Ends the process when it gets one of these signals and cannot end by itself, since its results are not taken.
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

    /// How long the present write has not returned.
    private static var stall: Duration {
        state.withLock(\.writeBegan).map { $0.duration(to: .now) } ?? .zero
    }

    /// Waits for a task that writes, but not for a reader that takes nothing.
    /// - Throws: `Failure` when results were lost; that a reader has left is none.
    static func finish(_ writing: Task<Void, Never>) async throws(Failure) {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let waiting = Task {
            await writing.value
            end.yield(true)
        }
        let watching = Task {
            let start = ContinuousClock.now
            while !Task.isCancelled, stall < patience.stalled, start.duration(to: .now) < patience.slow {
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
        let (isNew, goesOn, listener) = state.withLock { state in
            defer { state.trouble = state.trouble ?? trouble }
            return (state.trouble == nil, state.goesOn, state.listener)
        }
        if goesOn {
            if isNew, trouble != .readerLeft { note("warning: \(sentence(trouble)); the run goes on") }
        } else if let listener {
            listener.yield(trouble)
        } else {
            end(trouble)
        }
    }

    private static func write(_ text: String) {
        let (isLost, isTorn, trouble) = state.withLock { state -> (Bool, Bool, Trouble?) in
            // Where the disk was full there may be room again; a reader that has left does not come back.
            let isLost =
                switch state.trouble {
                case nil: false
                case .failed: !state.goesOn
                case .readerLeft, .stalled: true
                }
            if isLost { state.lostCount += 1 }
            state.writeBegan = .now
            return (isLost, state.isTorn, state.trouble)
        }
        defer { state.withLock { $0.writeBegan = nil } }
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
        // A terminal that was closed answers EIO, maybe before its SIGHUP comes.
        let hasLeft = code == EPIPE || code == EIO && Hangup.isTerminal(STDOUT_FILENO)
        fail(hasLeft ? .readerLeft : .failed(code))
    }

    private static func writeNote(_ text: String) {
        // A pipe that takes nothing is not waited for once more: it may be the same one.
        if state.withLock({ $0.trouble == .stalled }) {
            var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return }
        }
        _ = write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Writes all bytes, or as many as can be.
    /// - Returns: how many, and the error number of the last call.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> (count: Int, code: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Somebody else has made this pipe non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
                continue
            }
            guard count > 0 else { return (bytes.count - rest.count, errno) }
            rest = rest.dropFirst(count)
        }
        return (bytes.count, 0)
    }
}

/// Runs tasks that write on a thread of their own, since a reader that takes nothing blocks the thread.
final class OutputExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "output")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
