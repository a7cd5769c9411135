// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Finds what answers a method call of an object, and answers the standard interfaces.
///
/// The errors of the standard interfaces are the same as in bluetoothd (bluez 5.82 gdbus/object.c).
struct ObjectServer {
    /// What answers a call.
    enum Answer {
        /// The reply is known.
        case reply(Result<[DBusValue], DBusError>)
        /// A closure on the executor of the connection.
        case immediate(ExportedInterface.CallHandler)
        /// An asynchronous handler.
        case queued(MethodHandler)
        /// A property is to be set.
        case write(ExportedInterface.WriteHandler, PropertyWrite)
    }

    let object: ExportedObject
    /// The objects below the path, for `GetManagedObjects`.
    let managedObjects: () -> [ExportedObject]
    /// The names of the children, for `Introspect`.
    let children: () -> [String]

    /// What answers a call.
    func answer(_ call: MethodCall) -> Answer {
        if let interface = object.interfaces.first(where: { $0.accepts(call) }) {
            switch interface.service {
            case .immediate(let handler): return .immediate(handler)
            case .queued(let handlers):
                return handlers[call.member].map(Answer.queued) ?? .reply(.failure(.unknownMethod(call)))
            }
        }
        do throws(DBusError) {
            return try answerStandard(call)
        } catch {
            return .reply(.failure(error))
        }
    }

    private func answerStandard(_ call: MethodCall) throws(DBusError) -> Answer {
        let interface = StandardInterface.declarations(isObjectManager: object.isObjectManager).first {
            (call.interface == nil || call.interface == $0.name)
                && $0.methods.contains { $0.name == call.member && $0.accepts(call.arguments) }
        }
        switch (interface?.name, call.member) {
        case (StandardInterface.properties, "Get"): return .reply(.success([.variant(try property(call))]))
        case (StandardInterface.properties, "GetAll"): return .reply(.success([try allProperties(call)]))
        case (StandardInterface.properties, "Set"): return try write(call)
        case (StandardInterface.introspectable, _): return .reply(.success([.string(introspection)]))
        case (StandardInterface.objectManager, _): return .reply(.success([managedObjectsDescription]))
        default: throw .unknownMethod(call)
        }
    }

    private func property(_ call: MethodCall) throws(DBusError) -> DBusValue {
        let name = call.arguments[1].stringValue ?? ""
        for interface in try interfaces(call.arguments[0]) {
            if let value = interface.properties()[name] { return value }
        }
        throw .noSuchProperty(name)
    }

    private func allProperties(_ call: MethodCall) throws(DBusError) -> DBusValue {
        var properties: [String: DBusValue] = [:]
        for interface in try interfaces(call.arguments[0]) {
            properties.merge(interface.properties()) { first, _ in first }
        }
        return .variants(properties)
    }

    private func write(_ call: MethodCall) throws(DBusError) -> Answer {
        let name = call.arguments[1].stringValue ?? ""
        let value = call.arguments[2].variantValue ?? call.arguments[2]
        for interface in try interfaces(call.arguments[0]) {
            let declared = interface.declaration?.property(name)
            let exists = interface.properties()[name] != nil
            guard declared != nil || exists else { continue }
            guard let declared, declared.access == .readWrite, let write = interface.write else {
                throw .propertyReadOnly(name)
            }
            guard exists else { throw .unknownProperty(name) }
            guard value.signature == declared.type.rawValue else { throw .invalidSignature(of: name) }
            let request = PropertyWrite(
                path: call.path, interface: interface.name, name: name, value: value, sender: call.sender)
            return .write(write, request)
        }
        throw .unknownProperty(name)
    }

    /// The interfaces that the first argument of a property method selects: one, or all for the empty string.
    private func interfaces(_ argument: DBusValue) throws(DBusError) -> [ExportedInterface] {
        let name = argument.stringValue ?? ""
        if name.isEmpty { return object.interfaces }
        if let interface = object.interface(name) { return [interface] }
        let standard = StandardInterface.declarations(isObjectManager: object.isObjectManager)
        guard standard.contains(where: { $0.name == name }) else { throw .noSuchInterface(name) }
        return []
    }

    private var managedObjectsDescription: DBusValue {
        .dictionary(
            "o", "a{sa{sv}}", managedObjects().map { DBusDictionaryEntry(.objectPath($0.path), $0.description) })
    }

    private var introspection: String {
        var document = IntrospectionDocument()
        for interface in object.interfaces { document.add(interface) }
        document.addStandardInterfaces(isObjectManager: object.isObjectManager)
        document.add(children: children())
        return document.text
    }
}
