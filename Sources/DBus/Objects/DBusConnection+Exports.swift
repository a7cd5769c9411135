// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

extension DBusConnection {
    /// Serves the method calls at exactly one path, in the place of what was exported there before (whose waiting calls
    /// get an error).
    ///
    /// The handler gets one call at a time, in the order in which they came, and every call of any interface but
    /// `org.freedesktop.DBus.Peer`. Its result is the reply, unless the caller wants none. A handler that captures this
    /// connection strongly keeps it open.
    ///
    /// - Throws: `DBusError` of kind `notConnected`.
    package func export(_ path: ObjectPath, handler: @escaping MethodHandler) throws(DBusError) {
        try install(path, object: nil, handler)
    }

    /// Exports an object, in the place of what was exported at its path before. Object managers above it tell about it.
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
        guard !managers(above: path).isEmpty else { return }
        let interfaces = await object.describeInterfaces()
        // Another export or unexport may have come in between, and has told its own.
        guard exports[path]?.identifier == identifier else { return }
        for manager in managers(above: path) {
            try emit(manager, StandardInterface.objectManager, "InterfacesAdded", [.objectPath(path), interfaces])
        }
    }

    /// Ends an export. The call that its handler is busy with still gets its reply; those that wait get an error.
    /// Object managers above it tell about it. A path where nothing is exported is no error.
    package func unexport(_ path: ObjectPath) {
        guard let export = exports.removeValue(forKey: path) else { return }
        export.mailbox.finish()
        guard let object = export.object else { return }
        let names = DBusValue.strings(object.interfaces.map(\.name))
        for manager in managers(above: path) {
            // The connection may be gone, and then nobody needs to be told.
            try? emit(manager, StandardInterface.objectManager, "InterfacesRemoved", [.objectPath(path), names])
        }
    }

    /// Sends a signal.
    ///
    /// - Parameters:
    ///   - path: The object that it comes from. Need not be exported.
    ///   - interface: The interface of the signal.
    ///   - member: The name of the signal.
    ///   - arguments: Its values.
    ///   - destination: The bus name of the only one to get it; everybody who listens if `nil`.
    /// - Throws: `DBusError` of kind `notConnected`, `invalidArgument` or `limitExceeded`.
    package func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        to destination: String? = nil
    ) throws(DBusError) {
        try send(
            .signal(path: path, interface: interface, member: member, destination: destination, body: arguments))
    }

    /// Tells that properties of an exported object have changed.
    ///
    /// D-Bus Specification, "Standard Interfaces", "org.freedesktop.DBus.Properties".
    ///
    /// - Parameters:
    ///   - path: The object.
    ///   - interface: The interface that the properties belong to.
    ///   - changed: The properties with their new values.
    ///   - invalidated: The properties that changed, but whose value is to be asked for.
    /// - Throws: `DBusError`, as `emit` does.
    package func emitPropertiesChanged(
        _ path: ObjectPath, _ interface: String, _ changed: [String: DBusValue], invalidated: [String] = []
    ) throws(DBusError) {
        try NameKind.interface.check(interface)
        try emit(
            path, StandardInterface.properties, "PropertiesChanged",
            [.string(interface), .variants(changed), .strings(invalidated)])
    }

    @discardableResult
    private func install(
        _ path: ObjectPath, object: ExportedObject?, _ handler: @escaping MethodHandler
    ) throws(DBusError) -> UInt64 {
        guard isOpen else { throw .notConnected() }
        exports[path]?.mailbox.finish()
        let identifier = nextIdentifier()
        let mailbox = Mailbox { [weak self] call in
            guard await self?.isExported(path, identifier) == true else {
                await self?.reply(to: call, .failure(.unknownObject(path)))
                return
            }
            let serve: @Sendable () async -> Void = { [weak self] in
                let result = await handler(call)
                await self?.reply(to: call, result)
            }
            if object?.isConcurrent == true { Task { await serve() } } else { await serve() }
        }
        exports[path] = Export(identifier: identifier, mailbox: mailbox, object: object)
        return identifier
    }

    private func isExported(_ path: ObjectPath, _ identifier: UInt64) -> Bool {
        exports[path]?.identifier == identifier
    }

    private func objects(below path: ObjectPath) -> [ExportedObject] {
        exports.values.compactMap(\.object).filter { $0.path.isDescendant(of: path) }
            .sorted { $0.path.rawValue < $1.path.rawValue }
    }

    private func managers(above path: ObjectPath) -> [ObjectPath] {
        exports.values.compactMap(\.object).filter { $0.isObjectManager && path.isDescendant(of: $0.path) }
            .map(\.path)
    }

    private func children(of path: ObjectPath) -> [String] {
        let prefix = path.childPrefix
        let components = exports.keys.filter { $0.isDescendant(of: path) }.compactMap { path in
            path.rawValue.dropFirst(prefix.count).split(separator: "/").first.map(String.init)
        }
        return Set(components).sorted()
    }

    /// Brings a method call to the export at its path, or answers what every connection has to.
    func answer(_ call: MethodCall) {
        if call.interface == StandardInterface.peer {
            reply(to: call, answerPeer(call))
        } else if let export = exports[call.path] {
            guard !export.mailbox.put(call) else { return }
            reply(to: call, .failure(.limitExceeded("more than \(Mailbox.capacity) calls wait at \(call.path)")))
        } else {
            reply(to: call, answerUnexported(call))
        }
    }

    /// Sends the reply to a call, if its caller waits for one.
    func reply(to call: MethodCall, _ result: Result<[DBusValue], DBusError>) {
        guard call.expectsReply, isOpen else { return }
        let destination = call.sender.isEmpty ? nil : call.sender
        do throws(DBusError) {
            try send(.methodReturn(to: call.serial, destination: destination, body: result.get()))
        } catch {
            // Either the handler's own error, or that its values cannot be sent. If this fails too, nothing can be.
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

    /// A path with nothing at it can still be looked at if something is below it.
    private func answerUnexported(_ call: MethodCall) -> Result<[DBusValue], DBusError> {
        let children = children(of: call.path)
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
