// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An object that peers can call, with the standard interfaces for properties and introspection.
///
/// D-Bus Specification, "Standard Interfaces".
package struct ExportedObject: Sendable {
    /// The path of the object.
    package let path: ObjectPath
    /// The interfaces, without the standard ones.
    package let interfaces: [ExportedInterface]
    /// Whether the object implements `org.freedesktop.DBus.ObjectManager` for the objects below its path.
    package let isObjectManager: Bool

    /// Whether calls are handled concurrently, instead of one after another in the order of their arrival.
    package let isConcurrent: Bool

    /// Makes an object.
    package init(
        path: ObjectPath, interfaces: [ExportedInterface] = [], isObjectManager: Bool = false,
        isConcurrent: Bool = false
    ) {
        self.path = path
        self.interfaces = interfaces
        self.isObjectManager = isObjectManager
        self.isConcurrent = isConcurrent
    }

    /// The interfaces with their properties, as `GetManagedObjects` and `InterfacesAdded` have them: `a{sa{sv}}`.
    func describeInterfaces() async -> DBusValue {
        var entries: [DBusDictionaryEntry] = []
        for interface in interfaces {
            entries.append(DBusDictionaryEntry(.string(interface.name), .variants(await interface.properties())))
        }
        return .dictionary("s", "a{sv}", entries)
    }
}

/// An interface of an exported object: properties, which are read-only for peers, and methods.
package struct ExportedInterface: Sendable {
    /// The interface name, such as `org.bluez.GattCharacteristic1`.
    package let name: String
    /// Returns the current properties by name.
    package let properties: @Sendable () async -> [String: DBusValue]
    /// The methods, by name.
    package let methods: [String: MethodHandler]

    /// Makes an interface. The name is checked when the object is exported.
    package init(
        _ name: String, properties: @escaping @Sendable () async -> [String: DBusValue] = { [:] },
        methods: [String: MethodHandler] = [:]
    ) {
        self.name = name
        self.properties = properties
        self.methods = methods
    }
}

/// Handles method calls: returns the values or the error of the reply.
///
/// It runs outside of the queue of the connection, so it may call the connection.
package typealias MethodHandler = @Sendable (MethodCall) async -> Result<[DBusValue], DBusError>

/// A method call from a peer.
package struct MethodCall: Sendable, Hashable {
    /// The called object.
    package let path: ObjectPath
    /// The interface; `nil` if the caller omitted it, so that the member alone identifies the method.
    package let interface: String?
    /// The name of the method.
    package let member: String
    /// The unique bus name of the caller, set by the bus; empty on a connection without a bus.
    package let sender: String
    /// The arguments.
    package let arguments: [DBusValue]
    /// Whether the caller waits for the reply.
    package let expectsReply: Bool

    let serial: UInt32

    /// Makes a call for testing a handler; it expects no reply.
    package init(
        path: ObjectPath, interface: String?, member: String, sender: String, arguments: [DBusValue] = []
    ) {
        self.path = path
        self.interface = interface
        self.member = member
        self.sender = sender
        self.arguments = arguments
        expectsReply = false
        serial = 0
    }

    init(_ message: DBusMessage) {
        // libdbus rejects method calls without a path or member.
        path = message.path ?? .root
        interface = message.interface
        member = message.member ?? ""
        sender = message.sender ?? ""
        arguments = message.body
        expectsReply = message.expectsReply
        serial = message.serial
    }
}
