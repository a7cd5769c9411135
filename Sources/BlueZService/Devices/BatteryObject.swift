// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// `org.bluez.Battery1` of a connected device, from its Battery Service (bluez 5.82 src/battery.c).
@ServiceActor
final class BatteryObject {
    private static let declaration = InterfaceDeclaration(
        "org.bluez.Battery1",
        properties: [PropertyDeclaration("Percentage", "y"), PropertyDeclaration("Source", "s")])

    private let path: ObjectPath
    private let bus: ServiceBus
    private var level: UInt8

    /// Adds the interface to the object of the device.
    init(at path: ObjectPath, level: UInt8, bus: ServiceBus) {
        self.path = path
        self.level = min(level, 100)
        self.bus = bus
        let interface = ExportedInterface(
            Self.declaration,
            properties: {
                ServiceActor.assumeIsolated {
                    ["Percentage": .byte(self.level), "Source": "GATT Battery Service"]
                }
            })
        bus.add(interface, at: path)
    }

    /// Takes a value of the Battery Level characteristic.
    func update(_ value: [UInt8]) {
        guard let level = value.first, level <= 100, level != self.level else { return }
        self.level = level
        bus.propertiesChanged(["Percentage"], of: Self.declaration.name, at: path)
    }

    /// Removes the interface.
    func remove() { bus.removeInterface(Self.declaration.name, at: path) }
}
