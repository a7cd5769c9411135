// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Emulator

/// Runs a command for each event, a few at a time.
actor EventCommandQueue {
    private static let concurrency = 4
    private static let capacity = 64
    /// The time limit of running commands at the end.
    private static let grace = Duration.seconds(2)

    private let command: EventCommand
    private let warn: @Sendable (Notice) -> Void
    private var waiting: Deque<RegionRecord> = []
    private var running: [Int: Task<Void, Never>] = [:]
    private var lastNumber = 0

    /// - Parameter warn: reports commands that failed.
    init(_ command: EventCommand, warn: @escaping @Sendable (Notice) -> Void) {
        self.command = command
        self.warn = warn
    }

    /// Runs the command for an event after those that are waiting.
    func run(_ record: RegionRecord) {
        guard waiting.count < Self.capacity else {
            return warn(
                Notice(
                    code: "exec-left-out",
                    message: "\(command.arguments[0]) is not run for \(record.region): "
                        + "\(Self.capacity) events already wait for it", hint: "use a command that ends sooner"))
        }
        waiting.append(record)
        startNext()
    }

    /// Waits for the running commands, up to the time limit, and then ends them.
    func finish() async {
        waiting = []
        let tasks = Array(running.values)
        let ending = Task {
            try? await Task.sleep(for: Self.grace)
            for task in tasks where !Task.isCancelled { task.cancel() }
        }
        for task in tasks { await task.value }
        ending.cancel()
    }

    private func startNext() {
        guard running.count < Self.concurrency, !waiting.isEmpty else { return }
        let record = waiting.removeFirst()
        lastNumber += 1
        let number = lastNumber
        running[number] = Task { [command] in
            do throws(EventCommand.Trouble) {
                try await command.run(environment: record.environment, input: record.object + "\n")
            } catch {
                warn(Self.notice(error, command, record))
            }
            ended(number)
        }
    }

    private func ended(_ number: Int) {
        running[number] = nil
        startNext()
    }

    private static func notice(
        _ trouble: EventCommand.Trouble, _ command: EventCommand, _ record: RegionRecord
    ) -> Notice {
        let (name, region) = (command.arguments[0], record.region)
        return switch trouble {
        case .notStarted(let reason):
            Notice(
                code: "exec-not-started", message: "\(name) could not be started: \(reason)",
                hint: "check that the file exists and is executable")
        case .failed(let code):
            Notice(code: "exec-failed", message: "\(name) ended with \(code) for \(region)", hint: "see its output")
        case .killed(let signal):
            Notice(
                code: "exec-failed", message: "\(name) was ended by signal \(signal) for \(region)",
                hint: "see its output")
        case .tookTooLong:
            Notice(
                code: "exec-too-long", message: "\(name) was ended: it took too long for \(region)",
                hint: "allow more time (--exec-timeout), or use a command that ends sooner")
        }
    }
}
