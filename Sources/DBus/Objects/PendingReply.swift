// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The reply to a method call, to be sent once, at once or later.
///
/// Signals that are emitted before it leave before it, and signals that are emitted after it, in the same turn of the executor,
/// leave right behind it. A reply that is released without having been sent becomes the error `Failed`, so that the caller
/// does not wait for it.
package final class PendingReply: Sendable {
    private let call: MethodCall
    // Both are used on the executor of the connection, and by `deinit`, which is the last user.
    nonisolated(unsafe) private weak var connection: DBusConnection?
    nonisolated(unsafe) private var isSent = false

    init(to call: MethodCall, on connection: DBusConnection?) {
        self.call = call
        self.connection = connection
    }

    deinit {
        guard !isSent, let connection else { return }
        let call = call
        Task { await connection.finish(call, .failure(.failed("internal error: no reply to \(call.member)"))) }
    }

    /// Sends the reply. Further calls have no effect. Stops the process when it is called outside of the executor of the
    /// connection.
    package func send(_ result: Result<[DBusValue], DBusError>) {
        guard !isSent else { return }
        isSent = true
        connection?.assumeIsolated { $0.finish(call, result) }
    }

    /// Sends values. As `send`.
    package func succeed(_ values: [DBusValue] = []) {
        send(.success(values))
    }

    /// Sends an error. As `send`.
    package func fail(_ error: DBusError) {
        send(.failure(error))
    }
}
