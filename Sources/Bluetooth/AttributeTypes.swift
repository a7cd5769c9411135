// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// The attribute types that the attribute profile itself uses (Assigned Numbers, 3).
extension BluetoothUUID {
    /// A declaration of a primary service.
    public static let primaryService = BluetoothUUID.bit16(0x2800)
    /// A declaration of a secondary service.
    public static let secondaryService = BluetoothUUID.bit16(0x2801)
    /// A declaration that a service includes another.
    public static let include = BluetoothUUID.bit16(0x2802)
    /// A declaration of a characteristic.
    public static let characteristic = BluetoothUUID.bit16(0x2803)

    /// A descriptor: more properties.
    public static let characteristicExtendedProperties = BluetoothUUID.bit16(0x2900)
    /// A descriptor: what the characteristic is, for people.
    public static let characteristicUserDescription = BluetoothUUID.bit16(0x2901)
    /// A descriptor: what a client wants to be told.
    public static let clientCharacteristicConfiguration = BluetoothUUID.bit16(0x2902)
    /// A descriptor: whether the server broadcasts the value.
    public static let serverCharacteristicConfiguration = BluetoothUUID.bit16(0x2903)
    /// A descriptor: how the value is to be understood.
    public static let characteristicPresentationFormat = BluetoothUUID.bit16(0x2904)
    /// A descriptor: the formats of a value of several parts.
    public static let characteristicAggregateFormat = BluetoothUUID.bit16(0x2905)

    /// The service that says who a device is.
    public static let genericAccess = BluetoothUUID.bit16(0x1800)
    /// The service that says whether the services have changed.
    public static let genericAttribute = BluetoothUUID.bit16(0x1801)
    /// The device's name.
    public static let deviceName = BluetoothUUID.bit16(0x2A00)
    /// What the device looks like.
    public static let appearance = BluetoothUUID.bit16(0x2A01)
    /// The connection parameters that a peripheral would like.
    public static let peripheralPreferredConnectionParameters = BluetoothUUID.bit16(0x2A04)
    /// The range of handles that has changed.
    public static let serviceChanged = BluetoothUUID.bit16(0x2A05)
    /// What a client understands.
    public static let clientSupportedFeatures = BluetoothUUID.bit16(0x2B29)
    /// A hash of all declarations.
    public static let databaseHash = BluetoothUUID.bit16(0x2B2A)
}
