// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus
import Concurrency
import Dispatch

/// A connection to a message bus: calls methods, subscribes to signals, exports objects.
///
/// The connection runs on a queue of its own, on which libdbus may block. It is open from `connect` until `close`, the end
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
    private var isOpen = true
    private var calls = PendingCalls()
    /// Readable for tests.
    private(set) var subscriptions = SubscriptionTable()
    private var exports = ExportTable()
    private var closeWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastIdentifier: UInt64 = 0

    /// The executor on the queue of this connection.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(link: BusLink, executor: QueueExecutor) {
        self.link = link
        self.executor = executor
        uniqueName = link.uniqueName
    }

    deinit {
        subscriptions.finishAll()
        exports.closeAll()
    }

    /// Connects to a bus and waits until it has given this connection a name.
    ///
    /// Cancelling the task has no effect; libdbus gives up by itself after 25 s.
    ///
    /// - Throws: `DBusError` of kind `connectionFailed`, whose message ends in a hint.
    package static func connect(to bus: Bus) async throws(DBusError) -> DBusConnection {
        let executor = QueueExecutor(label: "DBusConnection")
        let link = try await BusConnector(executor: executor).connect(to: bus)
        let connection = DBusConnection(link: link, executor: executor)
        await connection.start()
        return connection
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
        return try link.send(message.makeHandle())
    }

    private func sendWithoutReply(_ message: DBusMessage) throws(DBusError) {
        var message = message
        message.expectsReply = false
        try send(message)
    }

    // MARK: - Receiving

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
        case .success(let message): answer(MethodCall(message))
        case .failure(let error): reply(to: MethodCall(header), .failure(error))
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
        exports.removeAll()
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

    /// Waits for the reply to a call that was just sent. Nothing may be awaited in between.
    private func reply(
        to serial: UInt32, timeout: Duration, orFailWith timeoutError: DBusError,
        then: @escaping (Result<[DBusValue], DBusError>) -> Void = { _ in }
    ) async -> Result<[DBusValue], DBusError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let timer = timeout.dispatchInterval.map { makeTimer(after: $0, serial, timeoutError) }
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
        guard !Task.isCancelled else { throw .cancelled() }
        try rule.check()
        let (stream, continuation) = AsyncStream.makeStream(
            of: DBusMessage.self, bufferingPolicy: .bufferingNewest(max(1, capacity)))
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
                case .success: connection.subscriptions.add(identifier, rule, continuation)
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
        try install(path, object: nil, handler)
    }

    /// Exports an object, and has object managers above it signal that. An export that was at the path before ends.
    ///
    /// - Throws: `DBusError` of kind `notConnected`, or `invalidArgument` for the name of an interface.
    package func export(_ object: ExportedObject) async throws(DBusError) {
        for interface in object.interfaces { try NameKind.interface.check(interface.name) }
        let path = object.path
        let server = ObjectServer(
            object: object,
            managedObjects: { [weak self] in await self?.objects(below: path) ?? [] },
            children: { [weak self] in await self?.children(of: path) ?? [] })
        let identifier = try install(path, object: object) { call in await server.answer(call) }
        guard !exports.managers(above: path).isEmpty else { return }
        let interfaces = await object.describeInterfaces()
        // If the export ended meanwhile, what ended it has sent its own signals.
        guard exports.contains(identifier, at: path) else { return }
        for manager in exports.managers(above: path) {
            try emit(manager, StandardInterface.objectManager, "InterfacesAdded", [.objectPath(path), interfaces])
        }
    }

    /// Ends an export, and has object managers above it signal that. The call in progress still gets its reply; waiting
    /// calls get an error. Without effect on a path without an export.
    package func unexport(_ path: ObjectPath) {
        guard let object = exports.remove(at: path) else { return }
        let names = DBusValue.strings(object.interfaces.map(\.name))
        for manager in exports.managers(above: path) {
            // Fails only without a connection, which has ended the object for all peers.
            try? emit(manager, StandardInterface.objectManager, "InterfacesRemoved", [.objectPath(path), names])
        }
    }

    @discardableResult
    private func install(
        _ path: ObjectPath, object: ExportedObject?, _ handler: @escaping MethodHandler
    ) throws(DBusError) -> UInt64 {
        guard isOpen else { throw .notConnected() }
        let identifier = nextIdentifier()
        let mailbox = Mailbox { [weak self] call in
            guard await self?.isExported(identifier, at: path) == true else {
                await self?.reply(to: call, .failure(.unknownObject(path)))
                return
            }
            let serve: @Sendable () async -> Void = { [weak self] in
                let result = await handler(call)
                await self?.reply(to: call, result)
            }
            if object?.isConcurrent == true { Task { await serve() } } else { await serve() }
        }
        exports.add(mailbox, object, at: path, identifier: identifier)
        return identifier
    }

    private func isExported(_ identifier: UInt64, at path: ObjectPath) -> Bool {
        exports.contains(identifier, at: path)
    }

    private func objects(below path: ObjectPath) -> [ExportedObject] { exports.objects(below: path) }

    private func children(of path: ObjectPath) -> [String] { exports.children(of: path) }

    /// Passes a method call to the export at its path, or answers it without one.
    private func answer(_ call: MethodCall) {
        if call.interface == StandardInterface.peer {
            reply(to: call, answerPeer(call))
        } else if let mailbox = exports.mailbox(at: call.path) {
            guard !mailbox.put(call) else { return }
            reply(to: call, .failure(.limitExceeded("more than \(Mailbox.capacity) calls wait at \(call.path)")))
        } else {
            reply(to: call, answerUnexported(call))
        }
    }

    /// Sends the reply to a call, if its caller expects one.
    private func reply(to call: MethodCall, _ result: Result<[DBusValue], DBusError>) {
        guard call.expectsReply, isOpen else { return }
        let destination = call.sender.isEmpty ? nil : call.sender
        do throws(DBusError) {
            try send(.methodReturn(to: call.serial, destination: destination, body: result.get()))
        } catch {
            // The error of the handler, or of values that cannot be sent. A second failure leaves nothing to send.
            _ = try? send(.error(error, to: call.serial, destination: destination))
        }
    }

    private func answerPeer(_ call: MethodCall) -> Result<[DBusValue], DBusError> {
        switch call.member {
        case "Ping":
            return .success([])
        case "GetMachineId":
            guard let identifier = dbus_try_get_local_machine_id(nil) else {
                return .failure(.failed("this machine has no identifier"))
            }
            defer { dbus_free(identifier) }
            return .success([.string(String(cString: identifier))])
        default:
            return .failure(.unknownMethod(call.member))
        }
    }

    /// A path without an export can be introspected if there are exports below it.
    private func answerUnexported(_ call: MethodCall) -> Result<[DBusValue], DBusError> {
        let children = exports.children(of: call.path)
        let interface = call.interface ?? StandardInterface.introspectable
        let isIntrospection = interface == StandardInterface.introspectable && call.member == "Introspect"
        guard isIntrospection, !children.isEmpty || call.path == .root else {
            return .failure(.unknownObject(call.path))
        }
        var document = IntrospectionDocument()
        document.add(children: children)
        return .success([.string(document.text)])
    }
}
