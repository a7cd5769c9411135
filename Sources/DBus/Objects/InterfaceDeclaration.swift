// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What an interface consists of: methods, properties and signals with their types.
///
/// A constant that all objects of a kind share. The connection checks calls against it before they reach a handler, and
/// introspection describes it. Names are checked when the interface is exported.
///
/// D-Bus Specification, "Introspection Data Format".
package struct InterfaceDeclaration: Sendable {
    /// The interface name, such as `org.bluez.Adapter1`.
    package let name: String
    /// The methods.
    package let methods: [MethodDeclaration]
    /// The properties, those included that an object may lack at times.
    package let properties: [PropertyDeclaration]
    /// The signals.
    package let signals: [SignalDeclaration]

    /// Makes a declaration.
    package init(
        _ name: String, methods: [MethodDeclaration] = [], properties: [PropertyDeclaration] = [],
        signals: [SignalDeclaration] = []
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
    }

    /// The declaration of a property.
    func property(_ name: String) -> PropertyDeclaration? { properties.first { $0.name == name } }

    /// - Throws: `DBusError` of kind `invalidArgument` for a name that breaks the specification.
    func check() throws(DBusError) {
        try NameKind.interface.check(name)
        for member in methods.map(\.name) + properties.map(\.name) + signals.map(\.name) {
            try NameKind.member.check(member)
        }
    }
}

/// A method of an interface, with the types of its arguments.
package struct MethodDeclaration: Sendable {
    /// The name.
    package let name: String
    /// The arguments, in order.
    package let inputs: [ArgumentDeclaration]
    /// The values of the reply, in order.
    package let outputs: [ArgumentDeclaration]
    /// The joined types of the arguments.
    let inputSignature: String

    /// Makes a declaration.
    /// - Parameters:
    ///   - inputs: the name and the type of each argument.
    ///   - outputs: the name and the type of each value of the reply.
    package init(
        _ name: String, in inputs: KeyValuePairs<String, DBusSignature> = [:],
        out outputs: KeyValuePairs<String, DBusSignature> = [:]
    ) {
        self.name = name
        self.inputs = inputs.map { ArgumentDeclaration(name: $0.key, type: $0.value) }
        self.outputs = outputs.map { ArgumentDeclaration(name: $0.key, type: $0.value) }
        inputSignature = inputs.map(\.value.rawValue).joined()
    }

    /// Whether the types of these arguments are the types of the method's arguments.
    func accepts(_ arguments: [DBusValue]) -> Bool { arguments.map(\.signature).joined() == inputSignature }
}

/// An argument of a method or a signal, or a value of a reply.
package struct ArgumentDeclaration: Sendable, Hashable {
    /// The name, for people and generated code.
    package let name: String
    /// The type: one complete type.
    package let type: DBusSignature
}

/// A property of an interface.
package struct PropertyDeclaration: Sendable, Hashable {
    /// Whether peers can set a property.
    package enum Access: String, Sendable {
        /// Peers can read it.
        case read
        /// Peers can read and set it.
        case readWrite = "readwrite"
    }

    /// The name.
    package let name: String
    /// The type: one complete type.
    package let type: DBusSignature
    /// Whether peers can set it.
    package let access: Access

    /// Makes a declaration.
    package init(_ name: String, _ type: DBusSignature, _ access: Access = .read) {
        self.name = name
        self.type = type
        self.access = access
    }
}

/// A signal of an interface, with the types of its values.
package struct SignalDeclaration: Sendable {
    /// The name.
    package let name: String
    /// The values, in order.
    package let arguments: [ArgumentDeclaration]

    /// Makes a declaration.
    package init(_ name: String, _ arguments: KeyValuePairs<String, DBusSignature> = [:]) {
        self.name = name
        self.arguments = arguments.map { ArgumentDeclaration(name: $0.key, type: $0.value) }
    }
}
