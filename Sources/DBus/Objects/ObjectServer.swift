// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Handles the method calls of one exported object: its own methods and the standard interfaces.
struct ObjectServer: Sendable {
    let object: ExportedObject
    /// The objects below the path, for `GetManagedObjects`.
    let managedObjects: @Sendable () async -> [ExportedObject]
    /// The names of the children, for `Introspect`.
    let children: @Sendable () async -> [String]

    /// The reply to a call.
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

    /// The standard interface of a call that omits the interface.
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

    /// The interfaces that the first argument of a property method selects: one, or all for the empty string.
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

/// The description of an object in XML. Methods are listed without arguments, since `ExportedInterface` does not declare
/// them.
///
/// D-Bus Specification, "Introspection Data Format". Names and signatures need no escaping: their grammars exclude the
/// special characters of XML.
struct IntrospectionDocument {
    private var lines: [String] = []

    mutating func add(_ interface: String, properties: [String: DBusValue], methods: [String]) {
        lines.append("  <interface name=\"\(interface)\">")
        lines += methods.map { "    <method name=\"\($0)\"/>" }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
            lines.append("    <property name=\"\(name)\" type=\"\(value.signature)\" access=\"read\"/>")
        }
        lines.append("  </interface>")
    }

    mutating func addStandardInterfaces(isObjectManager: Bool) {
        lines += [
            "  <interface name=\"\(StandardInterface.introspectable)\">",
            "    <method name=\"Introspect\"><arg name=\"data\" type=\"s\" direction=\"out\"/></method>",
            "  </interface>",
            "  <interface name=\"\(StandardInterface.properties)\">",
            "    <method name=\"Get\"><arg name=\"interface\" type=\"s\" direction=\"in\"/>"
                + "<arg name=\"property\" type=\"s\" direction=\"in\"/>"
                + "<arg name=\"value\" type=\"v\" direction=\"out\"/></method>",
            "    <method name=\"GetAll\"><arg name=\"interface\" type=\"s\" direction=\"in\"/>"
                + "<arg name=\"properties\" type=\"a{sv}\" direction=\"out\"/></method>",
            "    <method name=\"Set\"><arg name=\"interface\" type=\"s\" direction=\"in\"/>"
                + "<arg name=\"property\" type=\"s\" direction=\"in\"/>"
                + "<arg name=\"value\" type=\"v\" direction=\"in\"/></method>",
            "    <signal name=\"PropertiesChanged\"><arg name=\"interface\" type=\"s\"/>"
                + "<arg name=\"changed\" type=\"a{sv}\"/><arg name=\"invalidated\" type=\"as\"/></signal>",
            "  </interface>",
        ]
        guard isObjectManager else { return }
        lines += [
            "  <interface name=\"\(StandardInterface.objectManager)\">",
            "    <method name=\"GetManagedObjects\">"
                + "<arg name=\"objects\" type=\"a{oa{sa{sv}}}\" direction=\"out\"/></method>",
            "    <signal name=\"InterfacesAdded\"><arg name=\"object\" type=\"o\"/>"
                + "<arg name=\"interfaces\" type=\"a{sa{sv}}\"/></signal>",
            "    <signal name=\"InterfacesRemoved\"><arg name=\"object\" type=\"o\"/>"
                + "<arg name=\"interfaces\" type=\"as\"/></signal>",
            "  </interface>",
        ]
    }

    mutating func add(children: [String]) {
        lines += children.map { "  <node name=\"\($0)\"/>" }
    }

    var text: String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        \(lines.joined(separator: "\n"))
        </node>

        """
    }
}

/// The names of the interfaces that the specification defines for all objects.
///
/// D-Bus Specification, "Standard Interfaces".
enum StandardInterface {
    static let peer = "org.freedesktop.DBus.Peer"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
