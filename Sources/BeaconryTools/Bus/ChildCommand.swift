// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// A command that runs beside beacons, with our standard streams. It ends with this process, however that ends.
package final class ChildCommand: Sendable {
    private let arguments: [String]
    private let state = Mutex<State>(.starting(signals: []))

    private enum State {
        /// It will be sent these signals when it runs.
        case starting(signals: [Int32])
        case running(pid_t)
        case ended
    }

    /// - Parameter arguments: the program, which is looked up in PATH unless it contains a slash, and its arguments; at
    ///   least one.
    package init(_ arguments: [String]) {
        self.arguments = arguments
    }

    /// Runs it until it ends. When the task is cancelled, it is ended: by SIGTERM, and by SIGKILL 5 s later.
    /// - Returns: its exit code, or 128 and the number of the signal that ended it, as shells have it.
    /// - Throws: `Failure` with the exit codes of shells: 127 for a command that was not found, 126 for one that cannot be
    ///   executed.
    package func run(environment: [String: String]) async throws(Failure) -> Int32 {
        let name = arguments[0]
        guard let program = ExecutableSearch.find(name) else {
            throw Failure(
                exitCode: 127,
                message: "there is no command \(name); check its spelling, or give its path, such as ./\(name)")
        }
        guard access(program, X_OK) == 0, !isFolder(program) else {
            throw Failure(exitCode: 126, message: "\(program) is not executable; make it so (chmod +x \(program))")
        }
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(5))]
        let mark = "\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let guardian: Lifeline
        do {
            let ready = try Lifeline.makePipe()
            guardian = try Lifeline(Self.script, [mark], output: ready.writeEnd)
            // Before the command, so that it ends with this process from its start.
            guard await Lifeline.firstLine(of: ready.readEnd) != nil else { throw Errno.brokenPipe }
        } catch {
            throw Failure(exitCode: 71, message: "no shell can be started: \(error); raise the limits of this user")
        }
        let environment = environment.merging([Self.markVariable: mark]) { $1 }
        let result = await result(of: program, named: name, environment, options, guardian)
        state.withLock { $0 = .ended }
        guardian.send("")
        await guardian.close()
        return try result.get()
    }

    /// A variable of the command, whose value no other command has.
    private static let markVariable = "BEACONRY_COMMAND"

    /// Writes a line, then reads the number of the process of the command, and an empty line when the command has ended. The
    /// end of the input without that line means that this process was killed: the command gets SIGTERM, and SIGKILL 5 s
    /// later. If this process was killed between the start of the command and the line with its number, the command is found
    /// by its mark, `$1`.
    private static let script = """
        echo ready
        exec >/dev/null 2>&1
        unset process
        while read -r line; do process=$line; done
        for attempt in 1 2 3 4 5; do
            [ -n "${process+known}" ] && break
            found=$(grep -lsxzF "\(markVariable)=$1" /proc/[0-9]*/environ | head -n 1 | cut -d / -f 3)
            [ -n "$found" ] && process=$found || sleep 0.2
        done
        [ -n "$process" ] && kill -TERM "$process" || exit
        for second in 1 2 3 4 5; do
            sleep 1
            kill -0 "$process" || exit
        done
        kill -KILL "$process"
        """

    private func result(
        of program: String, named name: String, _ environment: [String: String], _ options: PlatformOptions,
        _ guardian: Lifeline
    ) async -> Result<Int32, Failure> {
        do {
            let result = try await Subprocess.run(
                .path(FilePath(program)),
                arguments: Arguments(executablePathOverride: name, remainingValues: Array(arguments.dropFirst())),
                environment: .inherit.updating(
                    Dictionary(
                        uniqueKeysWithValues: environment.map {
                            (Subprocess.Environment.Key(stringLiteral: $0.key), $0.value)
                        })),
                platformOptions: options,
                input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false),
                output: .fileDescriptor(.standardOutput, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            ) { execution in
                guardian.send("\(execution.processIdentifier.value)")
                self.began(execution.processIdentifier.value)
            }
            switch result.terminationStatus {
            case .exited(let code): return .success(code)
            case .signaled(let signal): return .success(128 + signal)
            }
        } catch let error as SubprocessError {
            return .failure(
                Failure(
                    exitCode: 126,
                    message:
                        "\(program) cannot be executed: \(error.underlyingError?.description ?? error.description); "
                        + "check its format and the interpreter in its first line"))
        } catch {
            return .failure(Failure(exitCode: 126, message: "\(program) cannot be executed: \(error)"))
        }
    }

    /// The command may have run for a while before its identifier is known.
    private func began(_ identifier: pid_t) {
        state.withLock { state in
            if case .starting(let signals) = state { for signal in signals { kill(identifier, signal) } }
            state = .running(identifier)
        }
    }

    /// Sends a signal to the command, when it runs.
    /// - Returns: whether it has not ended.
    package func send(_ signal: Int32) -> Bool {
        state.withLock { state in
            switch state {
            case .starting(let signals):
                state = .starting(signals: signals + [signal])
                return true
            case .running(let identifier): return kill(identifier, signal) == 0
            case .ended: return false
            }
        }
    }

    /// Whether a key such as Ctrl-C at the terminal signals this process and the command alike, so that the signal need
    /// not be sent again.
    package static var sharesTerminal: Bool {
        [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { tcgetpgrp($0) == getpgrp() }
    }
}

/// Finds programs as shells do.
enum ExecutableSearch {
    /// The path of a program: the name itself if it has a slash, else the path of the first executable file in PATH
    /// with this name, or of the first file with this name if none is executable; `nil` if there is no such file.
    static func find(_ name: String) -> String? {
        guard !name.isEmpty else { return nil }
        guard !name.contains("/") else { return access(name, F_OK) == 0 ? name : nil }
        let path = Environment.value("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        let files = path.split(separator: ":", omittingEmptySubsequences: false)
            .map { ($0.isEmpty ? "." : String($0)) + "/" + name }
            .filter { access($0, F_OK) == 0 && !isFolder($0) }
        return files.first { access($0, X_OK) == 0 } ?? files.first
    }
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
