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
    package private(set) var interfaces: [ExportedInterface]
    /// Whether the object implements `org.freedesktop.DBus.ObjectManager` for the objects below its path.
    package let isObjectManager: Bool

    /// Whether the asynchronous handlers of calls run concurrently, instead of one after another in the order of the
    /// calls.
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

    /// The interface of this name.
    func interface(_ name: String) -> ExportedInterface? { interfaces.first { $0.name == name } }

    /// Adds an interface, or replaces the one with its name.
    mutating func add(_ interface: ExportedInterface) {
        removeInterface(interface.name)
        interfaces.append(interface)
    }

    /// Removes the interface of this name.
    /// - Returns: whether there was one.
    @discardableResult
    mutating func removeInterface(_ name: String) -> Bool {
        guard let index = interfaces.firstIndex(where: { $0.name == name }) else { return false }
        interfaces.remove(at: index)
        return true
    }

    /// The interfaces with their properties, as `GetManagedObjects` returns them: `a{sa{sv}}`.
    var description: DBusValue { ExportedInterface.describe(interfaces) }
}

/// An interface of an exported object: properties and methods.
///
/// The closures for properties, and the closures of an interface with a declaration, run on the executor of the
/// connection: an actor with the same executor can use `assumeIsolated` in them.
package struct ExportedInterface: Sendable {
    /// Handles a call, and sends its reply, then or later.
    package typealias CallHandler = @Sendable (MethodCall, PendingReply) -> Void
    /// Sets a property, and sends the reply, then or later.
    package typealias WriteHandler = @Sendable (PropertyWrite, PendingReply) -> Void

    /// What handles the calls of the methods.
    enum Service: Sendable {
        /// A closure on the executor of the connection.
        case immediate(CallHandler)
        /// Asynchronous handlers, by the names of the methods.
        case queued([String: MethodHandler])
    }

    /// The interface name, such as `org.bluez.GattCharacteristic1`.
    package let name: String
    /// Returns the current properties by name. A property without a value does not exist at present.
    package let properties: @Sendable () -> [String: DBusValue]
    let declaration: InterfaceDeclaration?
    let service: Service
    let write: WriteHandler?

    /// Makes an interface with a declaration.
    ///
    /// - Parameters:
    ///   - declaration: The methods, properties and signals.
    ///   - properties: Returns the current properties.
    ///   - set: Sets a property with access `readWrite`, which exists, to a value of its type. Without it, all are
    ///     read-only.
    ///   - call: Handles a call of a declared method with arguments of the declared types.
    package init(
        _ declaration: InterfaceDeclaration, properties: @escaping @Sendable () -> [String: DBusValue] = { [:] },
        set: WriteHandler? = nil,
        call: @escaping CallHandler = { call, reply in reply.fail(.unknownMethod(call)) }
    ) {
        name = declaration.name
        self.declaration = declaration
        self.properties = properties
        service = .immediate(call)
        write = set
    }

    /// Makes an interface without a declaration: with read-only properties, and asynchronous handlers that check the
    /// arguments themselves.
    package init(
        _ name: String, properties: @escaping @Sendable () -> [String: DBusValue] = { [:] },
        methods: [String: MethodHandler] = [:]
    ) {
        self.name = name
        self.properties = properties
        declaration = nil
        service = .queued(methods)
        write = nil
    }

    /// - Throws: `DBusError` of kind `invalidArgument` for a name that breaks the specification.
    func check() throws(DBusError) {
        guard let declaration else { return try NameKind.interface.check(name) }
        try declaration.check()
    }

    /// The sorted names of the methods.
    var methodNames: [String] {
        switch service {
        case .immediate: (declaration?.methods ?? []).map(\.name).sorted()
        case .queued(let handlers): handlers.keys.sorted()
        }
    }

    /// Whether a call is for a method of this interface, with arguments of its types.
    func accepts(_ call: MethodCall) -> Bool {
        guard call.interface == nil || call.interface == name else { return false }
        switch service {
        case .immediate:
            return declaration?.methods.contains { $0.name == call.member && $0.accepts(call.arguments) } ?? false
        case .queued(let handlers):
            return handlers[call.member] != nil
        }
    }

    /// Interfaces with their properties, as `InterfacesAdded` has them: `a{sa{sv}}`.
    static func describe(_ interfaces: [ExportedInterface]) -> DBusValue {
        .dictionary(
            "s", "a{sv}",
            interfaces.map { DBusDictionaryEntry(.string($0.name), .variants($0.properties())) })
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

/// A peer's request to set a property.
package struct PropertyWrite: Sendable, Hashable {
    /// The object.
    package let path: ObjectPath
    /// The interface of the property.
    package let interface: String
    /// The property.
    package let name: String
    /// The new value, of the type of the property.
    package let value: DBusValue
    /// The unique bus name of the caller, set by the bus.
    package let sender: String

    /// Makes a request.
    package init(path: ObjectPath, interface: String, name: String, value: DBusValue, sender: String) {
        self.path = path
        self.interface = interface
        self.name = name
        self.value = value
        self.sender = sender
    }
}
