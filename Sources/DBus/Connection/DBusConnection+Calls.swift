// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

extension DBusConnection {
    /// Calls a method and waits for its reply.
    ///
    /// - Parameters:
    ///   - destination: The bus name of the peer, well known or unique.
    ///   - path: The object.
    ///   - interface: The interface of the method.
    ///   - member: The name of the method.
    ///   - arguments: The values that it takes.
    ///   - timeout: How long to wait for the reply, in whole milliseconds; more than 10 years means for ever.
    /// - Returns: The values of the reply.
    /// - Throws: `DBusError`: what the peer or the bus replied (kind `remote`); `invalidArgument` or `limitExceeded` if
    ///   nothing was sent; `timeout`, `cancelled` or `notConnected` if no reply came (the peer may have acted anyway).
    package func call(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [DBusValue] = [], timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> [DBusValue] {
        guard !Task.isCancelled else { throw .cancelled() }
        let serial = try send(
            .methodCall(
                destination: destination, path: path, interface: interface, member: member, body: arguments))
        let what = "\(interface).\(member) of \(destination) did not reply within \(timeout)"
        return try await reply(to: serial, timeout: timeout, orFailWith: .timeout(what)).get()
    }

    /// Waits for the reply to a call just sent: nothing may be awaited in between.
    func reply(
        to serial: UInt32, timeout: Duration, orFailWith timeoutError: DBusError,
        then: @escaping (Result<[DBusValue], DBusError>) -> Void = { _ in }
    ) async -> Result<[DBusValue], DBusError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let timer = timeout.dispatchInterval.map { makeTimer(after: $0, serial, timeoutError) }
                pendingCalls[serial] = PendingCall(timer: timer) { result in
                    then(result)
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            Task { await self.abandon(serial, .cancelled()) }
        }
    }

    private func abandon(_ serial: UInt32, _ error: DBusError) {
        pendingCalls.removeValue(forKey: serial)?.finish(.failure(error))
    }

    private func makeTimer(
        after interval: DispatchTimeInterval, _ serial: UInt32, _ error: DBusError
    ) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.schedule(deadline: .now() + interval)
        timer.setEventHandler { @Sendable [weak self] in
            self?.assumeIsolated { $0.abandon(serial, error) }
        }
        timer.activate()
        return timer
    }
}

extension Duration {
    /// Rounded down to milliseconds, not below 0; `nil` for more than 10 years.
    fileprivate var dispatchInterval: DispatchTimeInterval? {
        guard self < .seconds(315_576_000) else { return nil }
        guard self > .zero else { return .milliseconds(0) }
        return .milliseconds(Int(self / .milliseconds(1)))
    }
}

// Methods of the bus itself. D-Bus Specification, "Message Bus Specification", "Message Bus Messages".
extension DBusConnection {
    /// The unique name of the connection that owns a bus name; `nil` if nobody does.
    ///
    /// - Throws: `DBusError`, as `call` does.
    package func nameOwner(_ name: String) async throws(DBusError) -> String? {
        do throws(DBusError) {
            return try await callBus("GetNameOwner", [.string(name)]).first?.stringValue
        } catch {
            guard error.isStandard("NameHasNoOwner") else { throw error }
            return nil
        }
    }

    /// The process that a bus name belongs to, as the kernel told the bus.
    ///
    /// - Throws: `DBusError`, as `call` does; `NameHasNoOwner` if nobody owns the name.
    package func processIdentifier(of name: String) async throws(DBusError) -> UInt32 {
        let reply = try await callBus("GetConnectionUnixProcessID", [.string(name)])
        guard let identifier = reply.first?.uint32Value else { throw .malformed("the bus gave no process number") }
        return identifier
    }

    /// Takes a well-known name for this connection, without waiting for one that another owns.
    ///
    /// - Returns: Whether this connection owns the name now.
    /// - Throws: `DBusError`, as `call` does; `AccessDenied` if the policy of the bus forbids it.
    @discardableResult
    package func requestName(_ name: String) async throws(DBusError) -> Bool {
        let doNotQueue: UInt32 = 4
        let reply = try await callBus("RequestName", [.string(name), .uint32(doNotQueue)])
        // 1: primary owner; 4: already the owner.
        return reply == [.uint32(1)] || reply == [.uint32(4)]
    }

    /// Gives up a well-known name. One that this connection does not own is no error.
    ///
    /// - Throws: `DBusError`, as `call` does.
    package func releaseName(_ name: String) async throws(DBusError) {
        _ = try await callBus("ReleaseName", [.string(name)])
    }

    private func callBus(_ member: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
        try await call(Self.busName, Self.busPath, Self.busName, member, arguments)
    }
}
