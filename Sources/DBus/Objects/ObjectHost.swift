// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus
import Dispatch

/// The server side of a connection: its exports, the calls of them that were not answered yet, and the changes of
/// properties that were not signalled yet.
///
/// Used on the queue of the connection only. A handler may change the exports while it is called.
final class ObjectHost: @unchecked Sendable {
    /// The maximum number of unanswered calls of one peer; further calls get an error.
    static let maximumUnanswered = 1024

    private let link: BusLink
    private let queue: DispatchQueue
    private weak var connection: DBusConnection?
    private var table = ExportTable()
    private var changes = PropertyChanges()
    private var unanswered: [String: Int] = [:]
    private var lastIdentifier: UInt64 = 0

    init(link: BusLink, queue: DispatchQueue) {
        self.link = link
        self.queue = queue
    }

    deinit {
        close()
    }

    /// Sets the connection that replies refer to.
    func attach(to connection: DBusConnection) {
        self.connection = connection
    }

    /// Ends all exports, and cancels their handlers.
    func close() {
        table.removeAll()
        _ = changes.take()
        unanswered = [:]
    }

    // MARK: - Exports

    /// Exports a handler of all calls at a path.
    func export(_ path: ObjectPath, _ handler: @escaping MethodHandler) {
        table.add(
            ExportTable.Export(identifier: nextIdentifier(), server: .handler(handler), mailbox: Mailbox()), at: path)
    }

    /// Exports an object, and has the managers above it signal that.
    func export(_ object: ExportedObject) throws(DBusError) {
        for interface in object.interfaces { try interface.check() }
        table.add(
            ExportTable.Export(
                identifier: nextIdentifier(), server: .object(object),
                mailbox: object.needsMailbox ? Mailbox() : nil),
            at: object.path)
        try signalAdded(object.interfaces, at: object.path)
    }

    /// Ends an export, and has the managers above it signal that.
    func unexport(_ path: ObjectPath) {
        guard let object = table.remove(at: path)?.object else { return }
        signalRemoved(object.interfaces.map(\.name), at: path)
    }

    /// Ends the exports at and below a path, children before their parents.
    func unexportTree(_ path: ObjectPath) {
        for path in table.paths(below: path).reversed() { unexport(path) }
        unexport(path)
    }

    /// Adds an interface to an object.
    func add(_ interface: ExportedInterface, at path: ObjectPath) throws(DBusError) {
        try interface.check()
        guard case .immediate = interface.service else {
            throw .invalidArgument("\(interface.name) has no declaration, so it cannot be added to an object")
        }
        guard table.export(at: path)?.object != nil else { throw .unknownObject(path) }
        table.changeObject(at: path) { $0.add(interface) }
        try signalAdded([interface], at: path)
    }

    /// Removes an interface of an object.
    func removeInterface(_ name: String, at path: ObjectPath) {
        var isRemoved = false
        table.changeObject(at: path) { isRemoved = $0.removeInterface(name) }
        if isRemoved { signalRemoved([name], at: path) }
    }

    /// Whether an export is still at its path.
    func contains(_ identifier: UInt64, at path: ObjectPath) -> Bool {
        table.export(at: path)?.identifier == identifier
    }

    private func nextIdentifier() -> UInt64 {
        lastIdentifier += 1
        return lastIdentifier
    }

    private func signalAdded(_ interfaces: [ExportedInterface], at path: ObjectPath) throws(DBusError) {
        let managers = table.managers(above: path)
        guard !managers.isEmpty else { return }
        let description = ExportedInterface.describe(interfaces)
        for manager in managers {
            try signal(
                manager, StandardInterface.objectManager, "InterfacesAdded", [.objectPath(path), description])
        }
    }

    private func signalRemoved(_ names: [String], at path: ObjectPath) {
        for manager in table.managers(above: path) {
            // Fails only without a connection, which has ended the object for all peers.
            try? signal(
                manager, StandardInterface.objectManager, "InterfacesRemoved", [.objectPath(path), .strings(names)])
        }
    }

    // MARK: - Changes of properties

    /// Adds changed properties, which the next message or the end of the turn signals.
    func propertiesChanged(_ names: [String], of interface: String, at path: ObjectPath) {
        let isFirst = changes.isEmpty
        changes.add(names, of: PropertyChanges.Key(path: path, interface: interface))
        guard isFirst, !changes.isEmpty else { return }
        queue.async { [weak self] in self?.flush() }
    }

    /// Signals the changed properties with their current values. Each message of the connection has to follow it.
    func flush() {
        guard !changes.isEmpty else { return }
        for (key, names) in changes.take() {
            guard let interface = table.export(at: key.path)?.object?.interface(key.interface) else { continue }
            let values = interface.properties().filter { names.contains($0.key) }
            let invalidated = names.subtracting(values.keys).sorted()
            // Fails only without a connection.
            try? transmit(
                .signal(
                    path: key.path, interface: StandardInterface.properties, member: "PropertiesChanged",
                    body: [.string(key.interface), .variants(values), .strings(invalidated)]))
        }
    }

    private func signal(
        _ path: ObjectPath, _ interface: String, _ member: String, _ body: [DBusValue]
    ) throws(DBusError) {
        flush()
        try transmit(.signal(path: path, interface: interface, member: member, body: body))
    }

    private func transmit(_ message: DBusMessage) throws(DBusError) {
        _ = try link.send(message.makeHandle())
    }

    // MARK: - Calls

    /// Answers a call, or has its handler do that.
    func answer(_ call: MethodCall) {
        guard unanswered[call.sender, default: 0] < Self.maximumUnanswered else {
            return sendReply(
                to: call, .failure(.limitExceeded("more than \(Self.maximumUnanswered) calls wait for their replies")))
        }
        if call.interface == StandardInterface.peer { return sendReply(to: call, answerPeer(call)) }
        guard let export = table.export(at: call.path) else { return sendReply(to: call, answerUnexported(call)) }
        switch answer(of: export, call) {
        case .reply(let result): sendReply(to: call, result)
        case .immediate(let handler): handler(call, begin(call))
        case .write(let handler, let request): handler(request, begin(call))
        case .queued(let handler): run(handler, call, of: export)
        }
    }

    /// Answers a call that could not be read.
    func refuse(_ call: MethodCall, _ error: DBusError) {
        sendReply(to: call, .failure(error))
    }

    /// Sends the reply of a handler.
    func finish(_ call: MethodCall, _ result: Result<[DBusValue], DBusError>) {
        if let count = unanswered[call.sender] { unanswered[call.sender] = count > 1 ? count - 1 : nil }
        sendReply(to: call, result)
    }

    /// The number of calls of a peer that wait for their replies.
    func unansweredCalls(of sender: String) -> Int { unanswered[sender, default: 0] }

    private func begin(_ call: MethodCall) -> PendingReply {
        unanswered[call.sender, default: 0] += 1
        return PendingReply(to: call, on: connection)
    }

    private func answer(of export: ExportTable.Export, _ call: MethodCall) -> ObjectServer.Answer {
        switch export.server {
        case .handler(let handler):
            return .queued(handler)
        case .object(let object):
            let server = ObjectServer(
                object: object, managedObjects: { self.table.objects(below: call.path) },
                children: { self.table.children(of: call.path) })
            return server.answer(call)
        }
    }

    private func run(_ handler: @escaping MethodHandler, _ call: MethodCall, of export: ExportTable.Export) {
        let reply = begin(call)
        let identifier = export.identifier
        let serve: @Sendable () async -> Void = { [weak connection] in
            guard await connection?.isExported(identifier, at: call.path) == true else {
                await connection?.send(.failure(.unknownObject(call.path)), as: reply)
                return
            }
            let result = await handler(call)
            await connection?.send(result, as: reply)
        }
        guard let mailbox = export.mailbox else {
            Task { await serve() }
            return
        }
        if !mailbox.put(serve) {
            reply.fail(.limitExceeded("more than \(Mailbox.capacity) calls wait at \(call.path)"))
        }
    }

    /// Sends a reply, if the caller expects one.
    private func sendReply(to call: MethodCall, _ result: Result<[DBusValue], DBusError>) {
        flush()
        guard call.expectsReply else { return }
        let destination = call.sender.isEmpty ? nil : call.sender
        do throws(DBusError) {
            try transmit(.methodReturn(to: call.serial, destination: destination, body: result.get()))
        } catch {
            // The error of the handler, or of values that cannot be sent. A second failure leaves nothing to send.
            try? transmit(.error(error, to: call.serial, destination: destination))
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
            return .failure(.unknownMethod(call))
        }
    }

    /// A path without an export can be introspected if there are exports below it.
    private func answerUnexported(_ call: MethodCall) -> Result<[DBusValue], DBusError> {
        let children = table.children(of: call.path)
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

extension ExportedObject {
    /// Whether asynchronous handlers have to run one after another.
    fileprivate var needsMailbox: Bool {
        !isConcurrent
            && interfaces.contains { if case .queued(let handlers) = $0.service { !handlers.isEmpty } else { false } }
    }
}
