// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A connection to a message bus: calls methods of others, listens to signals, exports objects.
///
/// It runs on a queue of its own, on which libdbus may block. It lives as long as a reference to it is kept; when the
/// last one goes, its socket is closed and its streams end. Calls in flight keep it alive.
///
/// D-Bus Specification, "Message Bus Specification".
package actor DBusConnection {
    /// The name and the interface of the bus itself.
    package static let busName = "org.freedesktop.DBus"
    static let busPath: ObjectPath = "/org/freedesktop/DBus"

    /// The name that the bus gave this connection, such as `:1.42`.
    package nonisolated let uniqueName: String

    nonisolated let executor: DispatchQueueExecutor
    let link: BusLink
    var isOpen = true
    var pendingCalls: [UInt32: PendingCall] = [:]
    var subscriptions: [UInt64: Subscription] = [:]
    var watchedNames: [String: WatchedName] = [:]
    var exports: [ObjectPath: Export] = [:]
    private var closeWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastIdentifier: UInt64 = 0

    /// The executor on the queue of this connection.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(link: BusLink, executor: DispatchQueueExecutor) {
        self.link = link
        self.executor = executor
        uniqueName = link.uniqueName
    }

    deinit {
        for subscription in subscriptions.values { subscription.continuation.finish() }
        for export in exports.values { export.mailbox.close() }
    }

    /// Connects to a bus and waits until it has given this connection a name.
    ///
    /// Cancelling the task does not cut it short; libdbus gives up by itself after 25 seconds.
    ///
    /// - Throws: `DBusError` of kind `connectionFailed`, whose message says what to do about it.
    package static func connect(to bus: Bus) async throws(DBusError) -> DBusConnection {
        let executor = DispatchQueueExecutor(label: "DBusConnection")
        let link = try await BusConnector(executor: executor).connect(to: bus)
        let connection = DBusConnection(link: link, executor: executor)
        await connection.start()
        return connection
    }

    /// Sends what still waits (for half a second at most), closes, and fails the calls in flight. Again does nothing.
    package func close() async {
        shutDown()
    }

    /// Returns when the connection is closed, by `close` or by the bus, or when the task is cancelled.
    package func waitUntilClosed() async {
        guard isOpen else { return }
        let identifier = nextIdentifier()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                closeWaiters[identifier] = continuation
            }
        } onCancel: {
            Task { await self.stopWaiting(identifier) }
        }
    }

    /// Whether the connection is still open, as far as this side has noticed.
    package var isConnected: Bool { isOpen }

    func nextIdentifier() -> UInt64 {
        lastIdentifier += 1
        return lastIdentifier
    }

    @discardableResult
    func send(_ message: DBusMessage) throws(DBusError) -> UInt32 {
        guard isOpen else { throw .notConnected() }
        return try link.send(message.makeHandle())
    }

    private func stopWaiting(_ identifier: UInt64) {
        closeWaiters.removeValue(forKey: identifier)?.resume()
    }

    private func start() {
        link.start { @Sendable [weak self] in
            self?.assumeIsolated { $0.pump() }
        }
    }

    private func pump() {
        guard isOpen else { return }
        link.transfer()
        while let handle = link.popMessage() {
            if BusLink.isEnd(handle) { return shutDown() }
            dispatch(handle)
        }
    }

    func shutDown() {
        guard isOpen else { return }
        isOpen = false
        link.close()
        let calls = pendingCalls.values
        pendingCalls = [:]
        for call in calls { call.finish(.failure(.notConnected())) }
        for subscription in subscriptions.values { subscription.continuation.finish() }
        subscriptions = [:]
        watchedNames = [:]
        for export in exports.values { export.mailbox.close() }
        exports = [:]
        let waiters = closeWaiters.values
        closeWaiters = [:]
        for waiter in waiters { waiter.resume() }
    }
}
