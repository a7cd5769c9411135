// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An object for peers to call, with the standard interfaces for its properties and its description.
///
/// D-Bus Specification, "Standard Interfaces".
package struct ExportedObject: Sendable {
    /// Where the object is.
    package let path: ObjectPath
    /// Its own interfaces.
    package let interfaces: [ExportedInterface]
    /// Whether it answers `org.freedesktop.DBus.ObjectManager.GetManagedObjects` for the objects below its path, and
    /// tells when one comes or goes.
    package let isObjectManager: Bool

    /// Whether its calls are served at once, also while others are; else one after another, in the order in which they
    /// came.
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

    /// The properties of all interfaces, as `GetManagedObjects` and `InterfacesAdded` tell them: `a{sa{sv}}`.
    func describeInterfaces() async -> DBusValue {
        var entries: [DBusDictionaryEntry] = []
        for interface in interfaces {
            entries.append(DBusDictionaryEntry(.string(interface.name), .variants(await interface.properties())))
        }
        return .dictionary("s", "a{sv}", entries)
    }
}
