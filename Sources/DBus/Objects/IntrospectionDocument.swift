// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The description of an object in XML. Own methods are named without their arguments, which are not declared.
///
/// D-Bus Specification, "Introspection Data Format". Nothing needs to be escaped: names and signatures contain none of
/// the characters that are special in XML.
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
