// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio
import Synchronization

/// One connection to a device: its operations one after the other, its notifications, and its end.
///
/// An operation that was given up before its turn is never begun. One that was given up under way keeps its turn until
/// the device has answered or the connection is gone, so that its answer cannot be taken for another's.
final class Connection: Sendable {
    /// What work on a connection is.
    typealias Work<Value> = @Sendable (any RemoteLink) async throws(RemoteError) -> Value

    private struct State {
        /// Why the connection is being ended by us.
        var intent: ConnectionEnd?
        /// Why it is gone.
        var end: ConnectionEnd?
        /// When the device was heard last.
        var heard: Duration
        var watchdog: Task<Void, Never>?
    }

    let link: any RemoteLink
    let timekeeper: Timekeeper
    let subscriptions = Subscriptions()
    private let lane = Lane()
    private let state: Mutex<State>
    private let onEnd: @Sendable (Connection, ConnectionEnd) -> Void

    /// A connection over a link that is there.
    /// - Parameter onEnd: is told when it is gone, perhaps by several tasks.
    init(
        _ link: any RemoteLink, timekeeper: Timekeeper,
        onEnd: @escaping @Sendable (Connection, ConnectionEnd) -> Void
    ) {
        self.link = link
        self.timekeeper = timekeeper
        self.onEnd = onEnd
        state = Mutex(State(heard: timekeeper.now()))
    }

    /// Takes what the device tells by itself, until the connection is gone.
    func start() {
        Task {
            for await notification in link.notifications {
                hear()
                subscriptions.take(notification)
            }
        }
        Task { finish(.lost(await link.waitForEnd())) }
    }

    /// Why it is gone; `nil` while it is there.
    var end: ConnectionEnd? { state.withLock(\.end) }

    /// Does something with the device when what was begun before has ended.
    /// - Parameters:
    ///   - operation: what it is, as in `CentralError.operation`.
    ///   - isInTurn: whether it waits for what was begun before.
    func perform<Value: Sendable>(
        _ operation: @autoclosure () -> String, timeout: Duration, isInTurn: Bool = true,
        _ work: @escaping Work<Value>
    ) async throws(CentralError) -> Value {
        if let end { throw CentralError(.disconnected(finish(end)), operation: operation()) }
        let outcome = await Race<Result<Value, RemoteError>?>.run(within: timeout, by: timekeeper) { _ in
            isInTurn ? await self.perform(work) : await self.doNow(work)
        }
        switch outcome {
        case .finished(.success(let value)): return value
        case .finished(.failure(let error)):
            throw CentralError(reason(of: error), operation: operation())
        case .timedOut: throw CentralError(.timedOut(after: timeout), operation: operation())
        case .cancelled, .finished(nil): throw CentralError(.cancelled, operation: operation())
        }
    }

    /// Does something in its turn.
    /// - Returns: `nil` when the task was cancelled before.
    func perform<Value: Sendable>(_ work: Work<Value>) async -> Result<Value, RemoteError>? {
        guard await lane.enter() else { return nil }
        defer { lane.leave() }
        let result = await doNow(work)
        switch result {
        case .success, .failure(.refused): hear()
        case .failure: break
        }
        return result
    }

    private func doNow<Value: Sendable>(_ work: Work<Value>) async -> Result<Value, RemoteError> {
        do throws(RemoteError) {
            return .success(try await work(link))
        } catch {
            return .failure(error)
        }
    }

    private func reason(of error: RemoteError) -> CentralError.Reason {
        switch error {
        case .refused(let code): .refused(code)
        case .disconnected(let reason):
            .disconnected(finish(.lost(reason)))
        case .notPaired(let error): .notPaired(error)
        case .impossible(let reason): .impossible(reason)
        }
    }

    // MARK: - The end

    /// Ends the connection, and returns when it is gone, or after the timeout; it is of no use then in any case.
    func disconnect(as end: ConnectionEnd, timeout: Duration) async {
        state.withLock { if $0.intent == nil { $0.intent = end } }
        // A task that is cancelled cleans up all the same.
        _ = await Race<Void>.run(within: timeout, by: timekeeper, isCancellable: false) { [link] _ in
            await link.disconnect()
        }
        finish(end)
    }

    /// Takes down that the connection is gone. Whoever comes to know it goes on only when all know it, so that nobody
    /// sees it half ended.
    /// - Returns: why, as the first one knew it.
    @discardableResult
    private func finish(_ end: ConnectionEnd) -> ConnectionEnd {
        let (end, watchdog) = state.withLock { state in
            let first = state.end ?? state.intent ?? end
            state.end = first
            defer { state.watchdog = nil }
            return (first, state.watchdog)
        }
        watchdog?.cancel()
        // First the peripheral's state, then those who wait for notifications, and ask the peripheral why there are no more.
        onEnd(self, end)
        subscriptions.finish(end)
        return end
    }

    // MARK: - The watchdog

    private func hear() {
        let now = timekeeper.now()
        state.withLock { $0.heard = now }
    }

    /// Ends the connection when nothing is heard for so long from now on; `nil` lets it be.
    func watch(_ interval: Duration?) {
        hear()
        let task = interval.map { interval in
            Task { [weak self, timekeeper] in
                while let rest = self?.quiet(for: interval) {
                    guard await timekeeper.sleep(for: rest) else { return }
                }
                await self?.disconnect(as: .watchdog(interval), timeout: Peripheral.disconnectTimeout)
            }
        }
        let old = state.withLock { state in
            defer { state.watchdog = state.end == nil ? task : nil }
            return state.end == nil ? state.watchdog : task
        }
        old?.cancel()
    }

    /// How long the device may still be silent; `nil` when that is over.
    private func quiet(for interval: Duration) -> Duration? {
        let rest = interval - (timekeeper.now() - state.withLock(\.heard))
        return rest > .zero ? rest : nil
    }
}
