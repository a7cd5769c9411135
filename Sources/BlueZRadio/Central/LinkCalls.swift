// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Radio
import Synchronization

/// The pending calls of a connection. Each ends with its reply or with the connection, whichever comes first.
final class LinkCalls: Sendable {
    /// The result of a call.
    typealias Answer = Result<[DBusValue], DBusError>

    private let state = Mutex(State())

    private struct State {
        var nextIdentifier = 0
        var waiting: [Int: Waiting] = [:]
        var ending: [CheckedContinuation<String, Never>] = []
        /// Why the connection has ended.
        var end: String?
    }

    private struct Waiting {
        let continuation: CheckedContinuation<Result<Answer, RemoteError>, Never>
        var task: Task<Void, Never>?
    }

    /// Why the connection has ended; `nil` while it lasts.
    var end: String? { state.withLock(\.end) }

    /// Makes a call. Cancelling the task cancels the call.
    /// - Throws: `RemoteError.disconnected` if the connection has ended or ends before the reply.
    func run(_ call: @escaping @Sendable () async -> Answer) async throws(RemoteError) -> Answer {
        let identifier = state.withLock { state in
            state.nextIdentifier += 1
            return state.nextIdentifier
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end = state.withLock { state in
                    if state.end == nil { state.waiting[identifier] = Waiting(continuation: continuation) }
                    return state.end
                }
                if let end { return continuation.resume(returning: .failure(.disconnected(end))) }
                let task = Task { finish(identifier, .success(await call())) }
                state.withLock { $0.waiting[identifier]?.task = task }
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            state.withLock { $0.waiting[identifier]?.task }?.cancel()
        }
        return try result.get()
    }

    /// Waits for the end of the connection, and returns the reason.
    func waitForEnd() async -> String {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { state.ending.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    /// Ends all calls: the connection has ended. Later reasons are ignored.
    func end(_ reason: String) {
        let ended = state.withLock { state in
            guard state.end == nil else { return State() }
            defer { state = State(end: reason) }
            return state
        }
        for waiting in ended.waiting.values {
            waiting.continuation.resume(returning: .failure(.disconnected(reason)))
            waiting.task?.cancel()
        }
        for continuation in ended.ending { continuation.resume(returning: reason) }
    }

    private func finish(_ identifier: Int, _ result: Result<Answer, RemoteError>) {
        state.withLock { $0.waiting.removeValue(forKey: identifier) }?.continuation.resume(returning: result)
    }
}
