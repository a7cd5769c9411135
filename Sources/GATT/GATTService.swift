// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// A characteristic as a device declares it; its value is the device's business.
public struct GATTCharacteristic: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// What can be done with its value.
    public let properties: CharacteristicProperties

    /// A characteristic of this type with these properties.
    public init(uuid: BluetoothUUID, properties: CharacteristicProperties) {
        self.uuid = uuid
        self.properties = properties
    }
}

/// A primary service as a device declares it (Core 5.4, Vol 3, Part G, 3.1).
public struct GATTService: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// Its characteristics in the order of their handles.
    public let characteristics: [GATTCharacteristic]

    /// A primary service of this type with these characteristics.
    public init(uuid: BluetoothUUID, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}
