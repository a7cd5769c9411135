// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Answers the method calls of one exported object.
struct ObjectServer: Sendable {
    let object: ExportedObject
    /// The objects below the path, for `GetManagedObjects`.
    let managedObjects: @Sendable () async -> [ExportedObject]
    /// The components right below the path, for `Introspect`.
    let children: @Sendable () async -> [String]

    func answer(_ call: MethodCall) async -> Result<[DBusValue], DBusError> {
        if let handler = ownMethod(call) { return await handler(call) }
        do throws(DBusError) {
            return .success(try await answerStandard(call))
        } catch {
            return .failure(error)
        }
    }

    private func ownMethod(_ call: MethodCall) -> MethodHandler? {
        for interface in object.interfaces where call.interface == nil || call.interface == interface.name {
            if let handler = interface.methods[call.member] { return handler }
        }
        return nil
    }

    private func answerStandard(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
        switch (call.interface ?? Self.standardInterface(of: call.member), call.member) {
        case (StandardInterface.properties, "Get"): [try await property(call)]
        case (StandardInterface.properties, "GetAll"): [try await allProperties(call)]
        case (StandardInterface.properties, "Set"): throw await setError(call)
        case (StandardInterface.introspectable, "Introspect"): [.string(await introspection())]
        case (StandardInterface.objectManager, "GetManagedObjects") where object.isObjectManager:
            [await describeManagedObjects()]
        case (let interface?, let member): throw unknown(interface, member)
        case (nil, let member): throw .unknownMethod(member)
        }
    }

    /// For callers that leave the interface out.
    private static func standardInterface(of member: String) -> String? {
        switch member {
        case "Get", "GetAll", "Set": StandardInterface.properties
        case "Introspect": StandardInterface.introspectable
        case "GetManagedObjects": StandardInterface.objectManager
        default: nil
        }
    }

    private func unknown(_ interface: String, _ member: String) -> DBusError {
        let known = object.interfaces.map(\.name) + standardInterfaces
        return known.contains(interface) ? .unknownMethod("\(interface).\(member)") : .unknownInterface(interface)
    }

    private var standardInterfaces: [String] {
        let every = [StandardInterface.properties, StandardInterface.introspectable]
        return object.isObjectManager ? every + [StandardInterface.objectManager] : every
    }

    private func property(_ call: MethodCall) async throws(DBusError) -> DBusValue {
        guard call.arguments.count == 2, let name = call.arguments[1].stringValue else {
            throw .invalidArgument("Get takes an interface and a property")
        }
        for interface in try interfaces(call.arguments[0]) {
            if let value = await interface.properties()[name] { return .variant(value) }
        }
        throw .unknownProperty(name)
    }

    private func allProperties(_ call: MethodCall) async throws(DBusError) -> DBusValue {
        guard call.arguments.count == 1 else { throw .invalidArgument("GetAll takes an interface") }
        var properties: [String: DBusValue] = [:]
        for interface in try interfaces(call.arguments[0]) {
            properties.merge(await interface.properties()) { first, _ in first }
        }
        return .variants(properties)
    }

    private func setError(_ call: MethodCall) async -> DBusError {
        guard call.arguments.count == 3, let name = call.arguments[1].stringValue else {
            return .invalidArgument("Set takes an interface, a property and a value")
        }
        do throws(DBusError) {
            for interface in try interfaces(call.arguments[0]) where await interface.properties()[name] != nil {
                return .propertyReadOnly(name)
            }
            return .unknownProperty(name)
        } catch {
            return error
        }
    }

    /// The interfaces that a first argument names: one, or by the empty string all.
    private func interfaces(_ argument: DBusValue) throws(DBusError) -> [ExportedInterface] {
        guard let name = argument.stringValue else { throw .invalidArgument("the name of an interface is missing") }
        if name.isEmpty { return object.interfaces }
        let interfaces = object.interfaces.filter { $0.name == name }
        guard !interfaces.isEmpty || standardInterfaces.contains(name) else { throw .unknownInterface(name) }
        return interfaces
    }

    private func describeManagedObjects() async -> DBusValue {
        var entries: [DBusDictionaryEntry] = []
        for object in await managedObjects() {
            entries.append(DBusDictionaryEntry(.objectPath(object.path), await object.describeInterfaces()))
        }
        return .dictionary("o", "a{sa{sv}}", entries)
    }

    private func introspection() async -> String {
        var document = IntrospectionDocument()
        for interface in object.interfaces {
            let properties = await interface.properties()
            document.add(interface.name, properties: properties, methods: interface.methods.keys.sorted())
        }
        document.addStandardInterfaces(isObjectManager: object.isObjectManager)
        document.add(children: await children())
        return document.text
    }
}
