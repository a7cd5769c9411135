// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// A service as a device declares it (Core 5.4, Vol 3, Part G, 3.1).
public struct GATTService: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// Whether clients discover it by itself, and not only where another service includes it.
    public let isPrimary: Bool
    /// The types of other services of the same device that it refers to (Core 5.4, Vol 3, Part G, 3.2).
    public let includedServices: [BluetoothUUID]
    /// Its characteristics in the order of their handles.
    public let characteristics: [GATTCharacteristic]

    /// A service of this type with these characteristics.
    public init(
        uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [BluetoothUUID] = [],
        characteristics: [GATTCharacteristic]
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includedServices = includedServices
        self.characteristics = characteristics
    }
}
