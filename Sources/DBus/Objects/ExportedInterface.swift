// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An interface of an exported object: its properties, which peers can only read, and its methods.
package struct ExportedInterface: Sendable {
    /// The interface name, such as `org.bluez.GattCharacteristic1`.
    package let name: String
    /// Gives the properties as they are at the time, by name.
    package let properties: @Sendable () async -> [String: DBusValue]
    /// The methods, by name.
    package let methods: [String: MethodHandler]

    /// Makes an interface. The name is checked when its object is exported.
    package init(
        _ name: String, properties: @escaping @Sendable () async -> [String: DBusValue] = { [:] },
        methods: [String: MethodHandler] = [:]
    ) {
        self.name = name
        self.properties = properties
        self.methods = methods
    }
}
