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
    /// What a link must offer for that.
    public let permissions: AttributePermissions
    /// Its descriptors in the order of their handles, behind those that its properties call for.
    public let descriptors: [GATTDescriptor]

    /// A characteristic of this type with these properties.
    ///
    /// A client configuration descriptor comes with `notify` and `indicate`, a server configuration descriptor with
    /// `broadcast` and an extended properties descriptor with `extendedProperties`. They need not be declared;
    /// declaring one puts it in its place.
    public init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions = .open,
        descriptors: [GATTDescriptor] = []
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.descriptors = descriptors
    }
}
