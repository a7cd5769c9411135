// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// A descriptor as a device declares it (Core 5.4, Vol 3, Part G, 3.3.3).
///
/// Its value is constant, except that client and server configuration are each client's and the server's.
public struct GATTDescriptor: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// Its value.
    public let value: [UInt8]
    /// What reading it needs.
    public let read: AttributeSecurity

    /// A descriptor of this type with this constant value.
    public init(uuid: BluetoothUUID, value: [UInt8], read: AttributeSecurity = []) {
        self.uuid = uuid
        self.value = value
        self.read = read
    }

    /// The place of the client configuration descriptor, also of a characteristic that has no use for one.
    public static let clientConfiguration = GATTDescriptor(uuid: .clientCharacteristicConfiguration, value: [0, 0])
    /// The place of the server configuration descriptor, also of a characteristic that has no use for one.
    public static let serverConfiguration = GATTDescriptor(uuid: .serverCharacteristicConfiguration, value: [0, 0])

    /// What the characteristic is, for people.
    public static func userDescription(_ text: String) -> GATTDescriptor {
        GATTDescriptor(uuid: .characteristicUserDescription, value: Array(text.utf8))
    }

    /// More properties of the characteristic.
    public static func extendedProperties(_ properties: ExtendedCharacteristicProperties) -> GATTDescriptor {
        var writer = ByteWriter()
        writer.writeLittleEndian(properties.rawValue)
        return GATTDescriptor(uuid: .characteristicExtendedProperties, value: writer.bytes)
    }

    /// How the value is to be understood.
    public static func presentationFormat(_ format: PresentationFormat) -> GATTDescriptor {
        GATTDescriptor(uuid: .characteristicPresentationFormat, value: format.serialized())
    }
}
