// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Subprocess
import SystemPackage

/// A command that is run for an event, which it gets in its environment and, as JSON, on its standard input.
///
/// No shell is involved, so nothing in an event can become a command. Its output goes to standard error.
package struct EventCommand: Sendable {
    /// The program, which is looked up in PATH unless it contains a slash, and its arguments.
    let arguments: [String]
    private let timeout: Duration

    /// - Parameters:
    ///   - arguments: the program and its arguments.
    ///   - timeout: the time limit, after which it is ended.
    package init(arguments: [String], timeout: Duration) {
        self.arguments = arguments
        self.timeout = timeout
    }

    /// How it failed.
    package enum Trouble: Error, Hashable {
        /// It could not be started; the reason is a clause for people.
        case notStarted(String)
        /// It exited with this code.
        case failed(Int32)
        /// A signal ended it.
        case killed(Int32)
        /// It exceeded its time limit and was ended.
        case tookTooLong
    }

    /// Runs it and waits for its end. When the task is cancelled, the command and all that it started are ended: by
    /// SIGTERM, and by SIGKILL a second later.
    package func run(environment: [String: String], input: String) async throws(Trouble) {
        let outcome = await withTaskGroup(of: Result<TerminationStatus, Trouble>.self) { group in
            group.addTask { await start(environment, input) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .failure(.tookTooLong)
            }
            let first = await group.next() ?? .failure(.tookTooLong)
            group.cancelAll()
            await group.waitForAll()
            return first
        }
        guard !Task.isCancelled else { throw .tookTooLong }
        switch try outcome.get() {
        case .exited(0): return
        case .exited(let code): throw .failed(code)
        case .signaled(let signal): throw .killed(signal)
        }
    }

    private func start(_ environment: [String: String], _ input: String) async -> Result<TerminationStatus, Trouble> {
        var options = PlatformOptions()
        // The command gets its own process group: what it starts ends with it, and Ctrl-C at our terminal does not
        // reach it.
        options.processGroupID = 0
        options.teardownSequence = [
            .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
        ]
        let program = arguments[0]
        if let found = ExecutableSearch.find(program), access(found, X_OK) != 0 {
            return .failure(.notStarted("\(found) is not executable; make it so (chmod +x \(found))"))
        }
        do {
            let result = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program),
                arguments: Arguments(Array(arguments.dropFirst())),
                environment: .inherit.updating(
                    Dictionary(uniqueKeysWithValues: environment.map { (Self.key($0.key), $0.value) })),
                platformOptions: options,
                input: .fileDescriptor(try Self.pipe(holding: input), closeAfterSpawningProcess: true),
                output: .fileDescriptor(.standardError, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false))
            // The teardown ends only the command; a process in its group that ignores SIGTERM would survive.
            if Task.isCancelled { kill(-result.processIdentifier.value, SIGKILL) }
            return .success(result.terminationStatus)
        } catch let error as SubprocessError {
            return .failure(.notStarted(error.underlyingError?.description ?? error.description))
        } catch {
            return .failure(.notStarted("\(error)"))
        }
    }

    private static func key(_ name: String) -> Subprocess.Environment.Key {
        Subprocess.Environment.Key(stringLiteral: name)
    }

    /// The reading end of a pipe that holds all of the input. If the input were written while the command runs, a
    /// command that does not read it would be an error.
    private static func pipe(holding input: String) throws -> FileDescriptor {
        let (reading, writing) = try FileDescriptor.pipe()
        defer { try? writing.close() }
        // An event is smaller than a pipe's capacity; a larger one must not block.
        _ = fcntl(writing.rawValue, F_SETFL, O_NONBLOCK)
        do {
            try writing.writeAll(input.utf8)
            return reading
        } catch {
            try? reading.close()
            throw error
        }
    }
}
