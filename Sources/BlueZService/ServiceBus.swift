// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import DBus

/// The bus, as the objects of the service use it: without suspension, and without errors that they could do nothing about.
///
/// When the bus has ended, everything here has no effect; the owner of the service is notified of that end.
@ServiceActor
package final class ServiceBus {
    /// The connection, for calls of other programs.
    package let connection: DBusConnection
    private let warn: @Sendable (String) -> Void

    init(_ connection: DBusConnection, warn: @escaping @Sendable (String) -> Void) {
        self.connection = connection
        self.warn = warn
    }

    /// Exports an object, with `InterfacesAdded`.
    package func export(_ path: ObjectPath, _ interfaces: [ExportedInterface], isObjectManager: Bool = false) {
        perform { (connection) throws(DBusError) in
            try connection.export(
                ExportedObject(path: path, interfaces: interfaces, isObjectManager: isObjectManager))
        }
    }

    /// Removes an object and all objects below it, with `InterfacesRemoved`.
    package func unexportTree(_ path: ObjectPath) {
        perform { (connection) throws(DBusError) in connection.unexportTree(path) }
    }

    /// Adds an interface to an object, with `InterfacesAdded`.
    package func add(_ interface: ExportedInterface, at path: ObjectPath) {
        perform { (connection) throws(DBusError) in try connection.add(interface, at: path) }
    }

    /// Removes an interface of an object, with `InterfacesRemoved`.
    package func removeInterface(_ name: String, at path: ObjectPath) {
        perform { (connection) throws(DBusError) in connection.removeInterface(name, at: path) }
    }

    /// Signals changed properties: before the next message, or at the end of this turn, together with other changes.
    package func propertiesChanged(_ names: [String], of interface: String, at path: ObjectPath) {
        guard !names.isEmpty else { return }
        perform { (connection) throws(DBusError) in connection.propertiesChanged(names, of: interface, at: path) }
    }

    /// Signals changed properties at once, in a signal of their own.
    package func emitPropertiesChanged(_ path: ObjectPath, _ interface: String, _ properties: [String: DBusValue]) {
        perform { (connection) throws(DBusError) in
            try connection.emitPropertiesChanged(path, interface, properties, invalidated: [])
        }
    }

    /// Emits a signal.
    package func emit(_ path: ObjectPath, _ interface: String, _ member: String, _ values: [DBusValue]) {
        perform { (connection) throws(DBusError) in try connection.emit(path, interface, member, values) }
    }

    /// Calls a method of another program, which sends no reply.
    package func notify(
        _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) {
        perform { (connection) throws(DBusError) in
            try connection.callWithoutReply(destination, path, interface, member, arguments)
        }
    }

    private func perform(_ body: @Sendable (isolated DBusConnection) throws(DBusError) -> Void) {
        do throws(DBusError) {
            try connection.synchronously(body)
        } catch {
            guard error.kind != .notConnected else { return }
            warn("a message to the bus was not sent: \(error.message)")
        }
    }
}
