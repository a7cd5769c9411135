// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The description of an object in XML.
///
/// D-Bus Specification, "Introspection Data Format". Names and signatures need no escaping: their grammars exclude the
/// special characters of XML. Names of arguments are ours.
struct IntrospectionDocument {
    private var lines: [String] = []

    mutating func add(_ interface: ExportedInterface) {
        lines.append("  <interface name=\"\(interface.name)\">")
        if let declaration = interface.declaration {
            for method in declaration.methods { add(method) }
            for signal in declaration.signals { add(signal) }
            lines += declaration.properties.map { Self.property($0.name, $0.type.rawValue, $0.access) }
        } else {
            // Without a declaration, the methods have no arguments here.
            lines += interface.methodNames.map { "    <method name=\"\($0)\"/>" }
            lines += interface.properties().sorted { $0.key < $1.key }.map {
                Self.property($0.key, $0.value.signature, .read)
            }
        }
        lines.append("  </interface>")
    }

    mutating func addStandardInterfaces(isObjectManager: Bool) {
        for declaration in StandardInterface.declarations(isObjectManager: isObjectManager) {
            add(ExportedInterface(declaration))
        }
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

    private mutating func add(_ method: MethodDeclaration) {
        let arguments =
            method.inputs.map { Self.argument($0, direction: "in") }
            + method.outputs.map { Self.argument($0, direction: "out") }
        addMember("method", method.name, arguments)
    }

    private mutating func add(_ signal: SignalDeclaration) {
        addMember("signal", signal.name, signal.arguments.map { Self.argument($0, direction: nil) })
    }

    private mutating func addMember(_ element: String, _ name: String, _ arguments: [String]) {
        guard !arguments.isEmpty else {
            lines.append("    <\(element) name=\"\(name)\"/>")
            return
        }
        lines.append("    <\(element) name=\"\(name)\">")
        lines += arguments
        lines.append("    </\(element)>")
    }

    private static func argument(_ argument: ArgumentDeclaration, direction: String?) -> String {
        let direction = direction.map { " direction=\"\($0)\"" } ?? ""
        return "      <arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>"
    }

    private static func property(_ name: String, _ type: String, _ access: PropertyDeclaration.Access) -> String {
        "    <property name=\"\(name)\" type=\"\(type)\" access=\"\(access.rawValue)\"/>"
    }
}

/// The interfaces that the specification defines for all objects.
///
/// D-Bus Specification, "Standard Interfaces".
enum StandardInterface {
    static let peer = "org.freedesktop.DBus.Peer"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"

    /// The declarations of the interfaces of an object. The interface `Peer` is the connection's.
    static func declarations(isObjectManager: Bool) -> [InterfaceDeclaration] {
        isObjectManager ? ofObjects + [ofObjectManagers] : ofObjects
    }

    private static let ofObjects = [
        InterfaceDeclaration(introspectable, methods: [MethodDeclaration("Introspect", out: ["xml": "s"])]),
        InterfaceDeclaration(
            properties,
            methods: [
                MethodDeclaration("Get", in: ["interface": "s", "name": "s"], out: ["value": "v"]),
                MethodDeclaration("GetAll", in: ["interface": "s"], out: ["properties": "a{sv}"]),
                MethodDeclaration("Set", in: ["interface": "s", "name": "s", "value": "v"]),
            ],
            signals: [
                SignalDeclaration("PropertiesChanged", ["interface": "s", "changed": "a{sv}", "invalidated": "as"])
            ]),
    ]

    private static let ofObjectManagers = InterfaceDeclaration(
        objectManager,
        methods: [MethodDeclaration("GetManagedObjects", out: ["objects": "a{oa{sa{sv}}}"])],
        signals: [
            SignalDeclaration("InterfacesAdded", ["object": "o", "interfaces": "a{sa{sv}}"]),
            SignalDeclaration("InterfacesRemoved", ["object": "o", "interfaces": "as"]),
        ])
}
