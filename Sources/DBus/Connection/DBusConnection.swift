// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus
package import Concurrency
import Dispatch

/// A connection to a message bus: calls methods, subscribes to signals, exports objects.
///
/// The connection runs on a queue, on which libdbus may block. It is open from `connect` until `close`, the end
/// of the bus, or the release of the last reference, whichever is first. Then calls in flight fail, streams end, handlers
/// are cancelled, and further operations throw `notConnected`. Calls in flight hold a reference.
///
/// D-Bus Specification, "Message Bus Specification".
package actor DBusConnection {
    /// The name and the interface of the bus itself.
    package static let busName = "org.freedesktop.DBus"
    static let busPath: ObjectPath = "/org/freedesktop/DBus"

    /// The name that the bus gave this connection, such as `:1.42`.
    package nonisolated let uniqueName: String

    private nonisolated let executor: QueueExecutor
    private let link: BusLink
    private let limitsCalls: Bool
    private var isOpen = true
    private var calls = PendingCalls()
    /// Readable for tests.
    private(set) var subscriptions = SubscriptionTable()
    private let objects: ObjectHost
    private var closeWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastIdentifier: UInt64 = 0

    /// The executor on the queue of this connection. An actor that has it too, as its own `unownedExecutor`, calls this
    /// connection with ``synchronously(_:)``, and the handlers of its objects call it with `assumeIsolated`.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(link: BusLink, executor: QueueExecutor, limitsCalls: Bool) {
        self.link = link
        self.limitsCalls = limitsCalls
        self.executor = executor
        objects = ObjectHost(link: link, queue: executor.queue)
        uniqueName = link.uniqueName
    }

    deinit {
        subscriptions.finishAll()
    }

    /// Connects to a bus and waits until it has given this connection a name.
    ///
    /// Cancelling the task has no effect; libdbus gives up by itself after 25 s, and blocks the executor until then.
    ///
    /// - Parameters:
    ///   - executor: the executor of the connection, which actors may share; by default one of its own.
    ///   - limitsCalls: whether calls have time limits. Without them a test with a peer in its own process does not depend on
    ///     how busy the machine is.
    /// - Throws: `DBusError` of kind `connectionFailed`, whose message ends in a hint.
    package static func connect(
        to bus: Bus, on executor: QueueExecutor = QueueExecutor(label: "DBusConnection"), limitsCalls: Bool = true
    ) async throws(DBusError) -> DBusConnection {
        let link = try await BusConnector(executor: executor).connect(to: bus)
        let connection = DBusConnection(link: link, executor: executor, limitsCalls: limitsCalls)
        await connection.start()
        return connection
    }

    /// Runs a closure on this connection without waiting. Stops the process when it is called outside of the executor of
    /// this connection.
    ///
    /// - Throws: what the closure throws.
    package nonisolated func synchronously<Value: Sendable>(
        _ body: @Sendable (isolated DBusConnection) throws(DBusError) -> Value
    ) throws(DBusError) -> Value {
        let result = assumeIsolated { connection -> Result<Value, DBusError> in
            do throws(DBusError) { return .success(try body(connection)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Sends queued messages, for at most 0.5 s, and closes. Calls in flight fail. Further calls have no effect.
    package func close() async {
        shutDown()
    }

    /// Waits until the connection is closed, by `close` or by the bus, or until the task is cancelled.
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

    /// Whether the connection is open, as far as this side has noticed.
    package var isConnected: Bool { isOpen }

    private func stopWaiting(_ identifier: UInt64) {
        closeWaiters.removeValue(forKey: identifier)?.resume()
    }

    private func nextIdentifier() -> UInt64 {
        lastIdentifier += 1
        return lastIdentifier
    }

    /// Sends a message without waiting for a reply. Internal for tests.
    /// - Returns: the serial.
    @discardableResult
    func send(_ message: DBusMessage) throws(DBusError) -> UInt32 {
        guard isOpen else { throw .notConnected() }
        objects.flush()
        return try link.send(message.makeHandle())
    }

    private func sendWithoutReply(_ message: DBusMessage) throws(DBusError) {
        var message = message
        message.expectsReply = false
        try send(message)
    }

    // MARK: - Receiving

    private func start() {
        objects.attach(to: self)
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

    private func dispatch(_ handle: borrowing MessageHandle) {
        // Messages of unknown types are to be ignored.
        guard let header = DBusMessage(readingHeaderOf: handle) else { return }
        let result: Result<DBusMessage, DBusError>
        do throws(DBusError) {
            result = .success(try DBusMessage(reading: handle))
        } catch {
            result = .failure(error)
        }
        switch header.kind {
        case .methodCall: receiveCall(header, result)
        case .methodReturn, .error: receiveReply(header, result)
        case .signal: receiveSignal(result)
        }
    }

    private func receiveCall(_ header: DBusMessage, _ result: Result<DBusMessage, DBusError>) {
        switch result {
        case .success(let message): objects.answer(MethodCall(message))
        case .failure(let error): objects.refuse(MethodCall(header), error)
        }
    }

    private func receiveReply(_ header: DBusMessage, _ result: Result<DBusMessage, DBusError>) {
        guard let serial = header.replySerial, let call = calls.remove(serial) else { return }
        call.finish(
            result.flatMap { message in
                message.error.map { .failure($0) } ?? .success(message.body)
            })
    }

    private func receiveSignal(_ result: Result<DBusMessage, DBusError>) {
        guard case .success(let message) = result else { return }
        subscriptions.noteOwner(message)
        subscriptions.deliver(message)
    }

    private func shutDown() {
        guard isOpen else { return }
        isOpen = false
        link.close()
        for call in calls.removeAll() { call.finish(.failure(.notConnected())) }
        subscriptions.removeAll()
        objects.close()
        let waiters = closeWaiters.values
        closeWaiters = [:]
        for waiter in waiters { waiter.resume() }
    }
}

// MARK: - Calls

extension DBusConnection {
    /// Calls a method and waits for its reply.
    ///
    /// - Parameters:
    ///   - destination: The bus name of the peer, well-known or unique.
    ///   - path: The object.
    ///   - interface: The interface of the method.
    ///   - member: The name of the method.
    ///   - arguments: The arguments.
    ///   - timeout: The time to wait for the reply, in whole milliseconds; more than 10 years means without limit.
    /// - Returns: The values of the reply.
    /// - Throws: `DBusError`: the error reply of the peer or the bus (kind `remote`); `invalidArgument` or `limitExceeded`
    ///   if nothing was sent; `timeout`, `cancelled` or `notConnected` without a reply (the peer may have acted anyway).
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

    /// Calls a method that needs no reply (`NO_REPLY_EXPECTED`, D-Bus Specification, "Message Format"): the message is sent
    /// before this returns, so it keeps its order among other messages.
    ///
    /// - Parameters: the same as for `call`.
    /// - Throws: `DBusError`: `invalidArgument`, `limitExceeded` or `notConnected` if nothing was sent.
    package func callWithoutReply(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) throws(DBusError) {
        try sendWithoutReply(
            .methodCall(
                destination: destination, path: path, interface: interface, member: member, body: arguments))
    }

    /// Waits for the reply to a call that was just sent. Nothing may be awaited in between.
    private func reply(
        to serial: UInt32, timeout: Duration, orFailWith timeoutError: DBusError,
        then: @escaping (Result<[DBusValue], DBusError>) -> Void = { _ in }
    ) async -> Result<[DBusValue], DBusError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let interval = limitsCalls ? timeout.dispatchInterval : nil
                let timer = interval.map { makeTimer(after: $0, serial, timeoutError) }
                calls.add(serial, timer: timer) { result in
                    then(result)
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            Task { await self.abandon(serial, .cancelled()) }
        }
    }

    private func abandon(_ serial: UInt32, _ error: DBusError) {
        calls.remove(serial)?.finish(.failure(error))
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
    /// Rounded down to milliseconds, at least 0; `nil` for more than 10 years.
    fileprivate var dispatchInterval: DispatchTimeInterval? {
        guard self < .seconds(315_576_000) else { return nil }
        guard self > .zero else { return .milliseconds(0) }
        return .milliseconds(Int(self / .milliseconds(1)))
    }
}

// MARK: - Methods of the bus

// D-Bus Specification, "Message Bus Specification", "Message Bus Messages".
extension DBusConnection {
    /// The unique name of the connection that owns a bus name; `nil` without an owner.
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

    /// The process identifier of the owner of a bus name, which the bus has from the kernel.
    ///
    /// - Throws: `DBusError`, as `call` does; `NameHasNoOwner` without an owner.
    package func processIdentifier(of name: String) async throws(DBusError) -> UInt32 {
        let reply = try await callBus("GetConnectionUnixProcessID", [.string(name)])
        guard let identifier = reply.first?.uint32Value else { throw .malformed("the bus gave no process number") }
        return identifier
    }

    /// Requests a well-known name for this connection, without queueing for a name that another connection owns.
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

    /// Releases a well-known name. Without effect on a name that this connection does not own.
    ///
    /// - Throws: `DBusError`, as `call` does.
    package func releaseName(_ name: String) async throws(DBusError) {
        _ = try await callBus("ReleaseName", [.string(name)])
    }

    private func callBus(_ member: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
        try await call(Self.busName, Self.busPath, Self.busName, member, arguments)
    }
}

// MARK: - Signals

extension DBusConnection {
    /// Subscribes to the signals that match a rule.
    ///
    /// The signals arrive in the order of the bus, from the reply to this call on. A rule with a well-known sender matches
    /// only signals of the connection that owns the name at that time. The stream ends when the connection closes.
    /// Releasing the stream, or cancelling the task that reads it, ends the subscription.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - capacity: The number of signals that may wait to be read; the oldest of more are lost.
    /// - Throws: `DBusError`: `invalidArgument` for a rule that breaks the specification, else as `call` does.
    package func subscribe(
        _ rule: MatchRule, capacity: Int = 4096
    ) async throws(DBusError) -> AsyncStream<DBusMessage> {
        try await subscribe(rule, .bufferingNewest(max(1, capacity))) { $0 }
    }

    /// The unique names of the connections that leave the bus, from the reply to this call on. None is lost.
    ///
    /// The stream ends under the same conditions as the stream of `subscribe`.
    ///
    /// - Throws: `DBusError`, as `call` does.
    package func vanishedNames() async throws(DBusError) -> AsyncStream<String> {
        let rule = MatchRule(
            sender: Self.busName, path: Self.busPath, interface: Self.busName, member: "NameOwnerChanged")
        return try await subscribe(rule, .unbounded) { signal in
            guard signal.body.count == 3, signal.body[2].stringValue == "", let name = signal.body[0].stringValue,
                name.hasPrefix(":")
            else { return nil }
            return name
        }
    }

    private func subscribe<Element: Sendable>(
        _ rule: MatchRule, _ buffering: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ element: @escaping @Sendable (DBusMessage) -> Element?
    ) async throws(DBusError) -> AsyncStream<Element> {
        guard !Task.isCancelled else { throw .cancelled() }
        try rule.check()
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
        let subscription = SubscriptionTable.Subscription(
            rule: rule, deliver: { signal in if let element = element(signal) { continuation.yield(element) } },
            finish: { continuation.finish() })
        let identifier = nextIdentifier()
        // Before AddMatch: the bus replies in order, so the owner is known when it has replied to AddMatch.
        if let name = rule.wellKnownSender { try watchOwner(of: name) }
        let serial: UInt32
        do throws(DBusError) {
            serial = try send(Self.busCall("AddMatch", rule.text))
        } catch {
            if let name = rule.wellKnownSender { unwatchOwner(of: name) }
            throw error
        }
        let result = await reply(
            to: serial, timeout: .seconds(25), orFailWith: .timeout("the bus did not reply to AddMatch")
        ) { [weak self] result in
            // With the reply itself, not when this function resumes: the next message may be a signal.
            self?.assumeIsolated { connection in
                switch result {
                case .success: connection.subscriptions.add(identifier, subscription)
                case .failure: connection.withdraw(rule)
                }
            }
        }
        if case .failure(let error) = result { throw error }
        continuation.onTermination = { @Sendable [weak self] _ in
            guard let self else { return }
            Task { await self.unsubscribe(identifier) }
        }
        return stream
    }

    private func unsubscribe(_ identifier: UInt64) {
        if let rule = subscriptions.remove(identifier) { withdraw(rule) }
    }

    /// Removes a rule from the bus. A rule whose removal cannot be sent ends with the connection.
    private func withdraw(_ rule: MatchRule) {
        try? sendWithoutReply(Self.busCall("RemoveMatch", rule.text))
        if let name = rule.wellKnownSender { unwatchOwner(of: name) }
    }

    private func watchOwner(of name: String) throws(DBusError) {
        if subscriptions.countUse(of: name) { return }
        try sendWithoutReply(Self.busCall("AddMatch", SubscriptionTable.ownerRule(for: name).text))
        let serial = try send(Self.busCall("GetNameOwner", name))
        subscriptions.beginWatching(name)
        calls.add(serial) { [weak self] result in
            let owner = if case .success(let values) = result { values.first?.stringValue } else { String?.none }
            self?.assumeIsolated { $0.subscriptions.setOwner(owner, of: name) }
        }
    }

    private func unwatchOwner(of name: String) {
        guard subscriptions.endWatching(name) else { return }
        try? sendWithoutReply(Self.busCall("RemoveMatch", SubscriptionTable.ownerRule(for: name).text))
    }

    private static func busCall(_ member: String, _ argument: String) -> DBusMessage {
        .methodCall(
            destination: busName, path: busPath, interface: busName, member: member, body: [.string(argument)])
    }

    /// Sends a signal.
    ///
    /// - Parameters:
    ///   - path: The object that the signal is from. It need not be exported.
    ///   - interface: The interface of the signal.
    ///   - member: The name of the signal.
    ///   - arguments: The values.
    ///   - destination: The bus name of the only receiver; `nil` for all subscribers.
    /// - Throws: `DBusError` of kind `notConnected`, `invalidArgument` or `limitExceeded`.
    package func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        to destination: String? = nil
    ) throws(DBusError) {
        try send(
            .signal(path: path, interface: interface, member: member, destination: destination, body: arguments))
    }

    /// Sends the signal that properties of an object have changed.
    ///
    /// D-Bus Specification, "Standard Interfaces", "org.freedesktop.DBus.Properties".
    ///
    /// - Parameters:
    ///   - path: The object.
    ///   - interface: The interface of the properties.
    ///   - changed: The properties with their new values.
    ///   - invalidated: The properties that changed, without their values.
    /// - Throws: `DBusError`, as `emit` does.
    package func emitPropertiesChanged(
        _ path: ObjectPath, _ interface: String, _ changed: [String: DBusValue], invalidated: [String] = []
    ) throws(DBusError) {
        try NameKind.interface.check(interface)
        try emit(
            path, StandardInterface.properties, "PropertiesChanged",
            [.string(interface), .variants(changed), .strings(invalidated)])
    }
}

// MARK: - Exports

extension DBusConnection {
    /// Handles all method calls at exactly one path. An export that was at the path before ends, and its waiting calls get
    /// an error.
    ///
    /// The handler gets the calls of all interfaces but `org.freedesktop.DBus.Peer`, one at a time, in the order of their
    /// arrival. Its result is the reply, unless the caller expects none. A handler that captures this connection strongly
    /// keeps it open.
    ///
    /// - Throws: `DBusError` of kind `notConnected`.
    package func export(_ path: ObjectPath, handler: @escaping MethodHandler) throws(DBusError) {
        guard isOpen else { throw .notConnected() }
        objects.export(path, handler)
    }

    /// Exports an object, and has object managers above it signal that. An export that was at the path before ends.
    ///
    /// - Throws: `DBusError` of kind `notConnected`, or `invalidArgument` for a name of an interface or its members.
    package func export(_ object: ExportedObject) throws(DBusError) {
        guard isOpen else { throw .notConnected() }
        try objects.export(object)
    }

    /// Ends an export, and has object managers above it signal that. The call in progress still gets its reply; waiting
    /// calls get an error. Without effect on a path without an export.
    package func unexport(_ path: ObjectPath) {
        objects.unexport(path)
    }

    /// Ends the exports at and below a path, children before their parents, as `unexport` does.
    package func unexportTree(_ path: ObjectPath) {
        objects.unexportTree(path)
    }

    /// Adds an interface to an exported object, or replaces it, and has object managers above it signal that.
    ///
    /// - Throws: `DBusError` of kind `notConnected`, or `invalidArgument` for a name or an interface without a declaration;
    ///   `UnknownObject` without an object at the path.
    package func add(_ interface: ExportedInterface, at path: ObjectPath) throws(DBusError) {
        guard isOpen else { throw .notConnected() }
        try objects.add(interface, at: path)
    }

    /// Removes an interface of an exported object, and has object managers above it signal that. Without effect on an
    /// object without it.
    package func removeInterface(_ name: String, at path: ObjectPath) {
        objects.removeInterface(name, at: path)
    }

    /// Signals changed properties with the next message of this connection, before it, or at the end of the turn of the
    /// executor.
    ///
    /// All changes of an interface until then make one signal, with the values at that time. Properties without a value are
    /// invalidated. To signal each value, use `emitPropertiesChanged`.
    package func propertiesChanged(_ names: [String], of interface: String, at path: ObjectPath) {
        guard isOpen else { return }
        objects.propertiesChanged(names, of: interface, at: path)
    }

    /// Sends the reply of a handler.
    func finish(_ call: MethodCall, _ result: Result<[DBusValue], DBusError>) {
        objects.finish(call, result)
    }

    /// The number of calls of a peer that wait for their replies. For tests.
    package func unansweredCalls(of sender: String) -> Int { objects.unansweredCalls(of: sender) }

    /// Sends a reply from outside of the executor.
    func send(_ result: Result<[DBusValue], DBusError>, as reply: PendingReply) {
        reply.send(result)
    }

    /// Whether an export is still at its path.
    func isExported(_ identifier: UInt64, at path: ObjectPath) -> Bool {
        objects.contains(identifier, at: path)
    }
}
