// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The attribute types of the Generic Attribute Profile and the Generic Access Profile (Assigned Numbers, 3).
extension BluetoothUUID {
    /// Primary service declaration.
    public static let primaryService = BluetoothUUID.bit16(0x2800)
    /// Secondary service declaration.
    public static let secondaryService = BluetoothUUID.bit16(0x2801)
    /// Include declaration: a service includes another one.
    public static let include = BluetoothUUID.bit16(0x2802)
    /// Characteristic declaration.
    public static let characteristic = BluetoothUUID.bit16(0x2803)

    /// Descriptor: further properties.
    public static let characteristicExtendedProperties = BluetoothUUID.bit16(0x2900)
    /// Descriptor: a description for people.
    public static let characteristicUserDescription = BluetoothUUID.bit16(0x2901)
    /// Descriptor: the subscription of a client.
    public static let clientCharacteristicConfiguration = BluetoothUUID.bit16(0x2902)
    /// Descriptor: whether the server broadcasts the value.
    public static let serverCharacteristicConfiguration = BluetoothUUID.bit16(0x2903)
    /// Descriptor: the format of the value.
    public static let characteristicPresentationFormat = BluetoothUUID.bit16(0x2904)
    /// Descriptor: the formats of a value with several parts.
    public static let characteristicAggregateFormat = BluetoothUUID.bit16(0x2905)

    /// Generic Access service.
    public static let genericAccess = BluetoothUUID.bit16(0x1800)
    /// Generic Attribute service.
    public static let genericAttribute = BluetoothUUID.bit16(0x1801)
    /// Device name.
    public static let deviceName = BluetoothUUID.bit16(0x2A00)
    /// Appearance.
    public static let appearance = BluetoothUUID.bit16(0x2A01)
    /// The connection parameters that a peripheral prefers.
    public static let peripheralPreferredConnectionParameters = BluetoothUUID.bit16(0x2A04)
    /// Service Changed: the range of handles that has changed.
    public static let serviceChanged = BluetoothUUID.bit16(0x2A05)
    /// The features that a client supports.
    public static let clientSupportedFeatures = BluetoothUUID.bit16(0x2B29)
    /// The hash of the attribute table.
    public static let databaseHash = BluetoothUUID.bit16(0x2B2A)
}
