// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization

/// One connection to a device: its operations one after the other, its notifications, and its end.
///
/// An operation that is cancelled before its turn is never begun. One that is cancelled later occupies its turn until
/// the device has responded or the connection has ended, so that its response is not taken for another's.
final class Connection: Sendable {
    /// The work of an operation on the connection.
    typealias Work<Value> = @Sendable (any RemoteLink) async throws(RemoteError) -> Value

    private struct State {
        /// The reason why this side is ending the connection.
        var intent: ConnectionEnd?
        /// The reason of its end; `nil` before.
        var end: ConnectionEnd?
        /// When the device last responded or notified.
        var lastActivity: Duration
        var watchdog: Task<Void, Never>?
    }

    private let link: any RemoteLink
    private let timekeeper: Timekeeper
    private let calls: PendingCalls
    private let subscriptions = Subscriptions()
    private let lane = Lane()
    private let state: Mutex<State>
    private let onEnd: @Sendable (Connection, ConnectionEnd) -> Void

    /// A connection over an established link.
    /// - Parameter onEnd: called when it has ended, perhaps by several tasks.
    init(
        _ link: any RemoteLink, timekeeper: Timekeeper, calls: PendingCalls,
        onEnd: @escaping @Sendable (Connection, ConnectionEnd) -> Void
    ) {
        self.link = link
        self.timekeeper = timekeeper
        self.calls = calls
        self.onEnd = onEnd
        state = Mutex(State(lastActivity: timekeeper.now()))
    }

    /// Takes notifications until the connection ends.
    func start() {
        Task {
            for await notification in link.notifications {
                noteActivity()
                subscriptions.take(notification)
            }
        }
        Task { finish(.lost(await link.waitForEnd())) }
    }

    /// The reason of its end; `nil` before.
    var end: ConnectionEnd? { state.withLock(\.end) }

    /// Performs an operation after the earlier ones.
    /// - Parameters:
    ///   - operation: its name, as in `CentralError.operation`.
    ///   - isInTurn: whether it waits for the earlier ones.
    func perform<Value: Sendable>(
        _ operation: @autoclosure () -> String, timeout: Duration, isInTurn: Bool = true,
        _ work: @escaping Work<Value>
    ) async throws(CentralError) -> Value {
        if let end { throw CentralError(.disconnected(finish(end)), operation: operation()) }
        let call = calls.begin(operation())
        defer { withExtendedLifetime(call) {} }
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

    /// Performs an operation in its turn.
    /// - Returns: `nil` if the task was cancelled before.
    func perform<Value: Sendable>(_ work: Work<Value>) async -> Result<Value, RemoteError>? {
        guard await lane.enter() else { return nil }
        defer { lane.leave() }
        let result = await doNow(work)
        switch result {
        case .success, .failure(.refused): noteActivity()
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

    /// Ends the connection, and returns when it has ended, or after the timeout.
    func disconnect(as end: ConnectionEnd, timeout: Duration) async {
        state.withLock { if $0.intent == nil { $0.intent = end } }
        // In a cancelled task, too.
        _ = await Race<Void>.run(within: timeout, by: timekeeper, isCancellable: false) { [link] _ in
            await link.disconnect()
        }
        finish(end)
    }

    /// Records the end of the connection. It returns when all consumers are informed, so that all tasks agree on whether
    /// the connection has ended.
    /// - Returns: the first reason.
    @discardableResult
    private func finish(_ end: ConnectionEnd) -> ConnectionEnd {
        let (end, watchdog) = state.withLock { state in
            let first = state.end ?? state.intent ?? end
            state.end = first
            defer { state.watchdog = nil }
            return (first, state.watchdog)
        }
        watchdog?.cancel()
        // The peripheral's state first: consumers of notifications read it when their stream ends.
        onEnd(self, end)
        subscriptions.finish(end)
        return end
    }

    // MARK: - The watchdog

    private func noteActivity() {
        let now = timekeeper.now()
        state.withLock { $0.lastActivity = now }
    }

    /// Ends the connection when the device is silent for this time from now on; `nil` ends the watchdog.
    func watch(_ interval: Duration?) {
        noteActivity()
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

    /// How long the device may still be silent; `nil` after the interval.
    private func quiet(for interval: Duration) -> Duration? {
        let rest = interval - (timekeeper.now() - state.withLock(\.lastActivity))
        return rest > .zero ? rest : nil
    }
}

// MARK: - Notifications

extension Connection {
    /// A stream of the values of a characteristic. The first consumer subscribes; the last one
    /// unsubscribes when it ends.
    func notifications(
        of characteristic: RemoteCharacteristic, _ operation: @autoclosure () -> String, timeout: Duration
    ) async throws(CentralError) -> Subscriptions.Values {
        let handle = characteristic.value
        let (stream, consumer) = AsyncStream.makeStream(
            of: Subscriptions.Event.self, bufferingPolicy: .bufferingNewest(Notifications.capacity))
        guard let number = subscriptions.add(consumer, of: handle) else {
            throw CentralError(.disconnected(end ?? .requested), operation: operation())
        }
        consumer.onTermination = { [weak self] _ in
            guard let self, subscriptions.remove(number, of: handle) else { return }
            Task { await self.perform { link throws(RemoteError) in try await self.adjust(characteristic, link) } }
        }
        do throws(CentralError) {
            try await perform(operation(), timeout: timeout) { link throws(RemoteError) in
                try await self.adjust(characteristic, link)
            }
        } catch {
            consumer.finish()
            throw error
        }
        return Subscriptions.Values(events: stream, call: calls.begin("be notified of \(characteristic.uuid)"))
    }

    /// Subscribes or unsubscribes, as the consumers require.
    private func adjust(_ characteristic: RemoteCharacteristic, _ link: any RemoteLink) async throws(RemoteError) {
        guard let isOn = subscriptions.change(of: characteristic.value) else { return }
        try await link.setNotifying(isOn, for: characteristic)
        subscriptions.set(isOn, for: characteristic.value)
    }
}
