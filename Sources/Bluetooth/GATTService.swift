// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A service as a device declares it (Core 5.4, Vol 3, Part G, 3.1).
public struct GATTService: Hashable, Sendable {
    /// The service's type.
    public let uuid: BluetoothUUID
    /// Whether clients discover it on its own, and not only as a service that another one includes.
    public let isPrimary: Bool
    /// The types of the services that it includes (Core 5.4, Vol 3, Part G, 3.2).
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

/// A characteristic as a device declares it, without its value.
public struct GATTCharacteristic: Hashable, Sendable {
    /// The characteristic's type.
    public let uuid: BluetoothUUID
    /// The operations that its value supports.
    public let properties: CharacteristicProperties
    /// The security that these operations require.
    public let permissions: AttributePermissions
    /// Its descriptors in the order of their handles, after those that its properties imply.
    public let descriptors: [GATTDescriptor]
    /// Whether `notify` and `indicate` imply a client characteristic configuration, which the specification demands (Core 5.4, Vol 3,
    /// Part G, 3.3.3.3). Without one, each connected client counts as subscribed.
    public let hasClientConfiguration: Bool

    /// A characteristic of this type with these properties.
    ///
    /// `notify` and `indicate` imply a client characteristic configuration, `broadcast` a server characteristic
    /// configuration, and `extendedProperties` an extended properties descriptor. They need not be declared; declaring
    /// one sets its position.
    public init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions = .open,
        descriptors: [GATTDescriptor] = [], hasClientConfiguration: Bool = true
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.descriptors = descriptors
        self.hasClientConfiguration = hasClientConfiguration
    }

    /// The subscription of each connected client without a client characteristic configuration; empty for a characteristic with one.
    package var standingSubscription: ClientCharacteristicConfiguration {
        guard !hasClientConfiguration else { return [] }
        return properties.contains(.notify) ? .notification : properties.contains(.indicate) ? .indication : []
    }
}

/// A descriptor as a device declares it (Core 5.4, Vol 3, Part G, 3.3.3).
///
/// Its value is constant, except for the client and the server characteristic configuration.
public struct GATTDescriptor: Hashable, Sendable {
    /// The descriptor's type.
    public let uuid: BluetoothUUID
    /// Its value.
    public let value: [UInt8]
    /// The security that reading it requires.
    public let read: AttributeSecurity
    /// How clients use a descriptor whose value the owner of the service has; `nil` for a constant one.
    package let service: ServedDescriptor?

    /// A descriptor of this type with this constant value.
    public init(uuid: BluetoothUUID, value: [UInt8], read: AttributeSecurity = []) {
        self.uuid = uuid
        self.value = value
        self.read = read
        service = nil
    }

    /// A descriptor whose value the owner of the service has, as the value of a characteristic: it answers all requests.
    package init(uuid: BluetoothUUID, _ service: ServedDescriptor) {
        self.uuid = uuid
        self.service = service
        value = []
        read = service.read ?? []
    }

    /// The position of the client characteristic configuration; also for a characteristic that cannot notify.
    public static let clientConfiguration = GATTDescriptor(uuid: .clientCharacteristicConfiguration, value: [0, 0])
    /// The position of the server characteristic configuration; also for a characteristic that cannot broadcast.
    public static let serverConfiguration = GATTDescriptor(uuid: .serverCharacteristicConfiguration, value: [0, 0])

    /// A description of the characteristic for people.
    public static func userDescription(_ text: String) -> GATTDescriptor {
        GATTDescriptor(uuid: .characteristicUserDescription, value: Array(text.utf8))
    }

    /// Further properties of the characteristic.
    public static func extendedProperties(_ properties: ExtendedCharacteristicProperties) -> GATTDescriptor {
        var writer = ByteWriter()
        writer.writeLittleEndian(properties.rawValue)
        return GATTDescriptor(uuid: .characteristicExtendedProperties, value: writer.bytes)
    }

    /// The format of the value.
    public static func presentationFormat(_ format: PresentationFormat) -> GATTDescriptor {
        GATTDescriptor(uuid: .characteristicPresentationFormat, value: format.serialized())
    }
}

/// How clients use a descriptor whose value the owner of the service has.
package struct ServedDescriptor: Hashable, Sendable {
    /// The security that reading it requires; `nil` if it cannot be read.
    package var read: AttributeSecurity?
    /// The security that writing it requires; `nil` if it cannot be written.
    package var write: AttributeSecurity?

    /// A descriptor that can be used in these ways.
    package init(read: AttributeSecurity?, write: AttributeSecurity?) {
        self.read = read
        self.write = write
    }
}

/// The format of a characteristic value (Core 5.4, Vol 3, Part G, 3.3.3.5).
public struct PresentationFormat: Hashable, Sendable {
    /// The data type (Assigned Numbers, 2.4.1): 0x04 is an unsigned byte.
    public let format: UInt8
    /// The power of ten that an integer is multiplied by.
    public let exponent: Int8
    /// The unit (Assigned Numbers, 3.5): 0x27AD is a percentage.
    public let unit: UInt16
    /// The name space of the description: 0x01 is the Bluetooth SIG's.
    public let namespace: UInt8
    /// The description within that name space; 0 is unknown.
    public let fieldDescription: UInt16

    /// A format of these fields.
    public init(
        format: UInt8, exponent: Int8 = 0, unit: UInt16, namespace: UInt8 = 0x01, fieldDescription: UInt16 = 0
    ) {
        self.format = format
        self.exponent = exponent
        self.unit = unit
        self.namespace = namespace
        self.fieldDescription = fieldDescription
    }
}

extension PresentationFormat: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        format = try reader.readUInt8()
        exponent = try reader.readInt8()
        unit = try reader.readLittleEndian()
        namespace = try reader.readUInt8()
        fieldDescription = try reader.readLittleEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(format)
        writer.write(exponent)
        writer.writeLittleEndian(unit)
        writer.write(namespace)
        writer.writeLittleEndian(fieldDescription)
    }
}

/// The identifier of a characteristic among all that a device declares: its type, and its number within that type.
///
/// A device may have several characteristics of one type, for example two batteries or the reports of a keyboard.
public struct CharacteristicIdentifier: Hashable, Sendable {
    /// The characteristic's type.
    public let uuid: BluetoothUUID
    /// The number of characteristics of the same type declared before it, in any service.
    public let occurrence: Int

    /// A characteristic of this type; by default the first one.
    public init(_ uuid: BluetoothUUID, occurrence: Int = 0) {
        self.uuid = uuid
        self.occurrence = occurrence
    }
}

extension CharacteristicIdentifier: CustomStringConvertible {
    /// The type, followed by the number of the occurrence unless it is the first: `2A4D#2`.
    public var description: String { occurrence == 0 ? "\(uuid)" : "\(uuid)#\(occurrence + 1)" }
}

/// A characteristic with its identifier.
public struct IdentifiedCharacteristic: Hashable, Sendable {
    /// The identifier among all characteristics of the device.
    public let identifier: CharacteristicIdentifier
    /// The declared characteristic.
    public let characteristic: GATTCharacteristic
}

extension Sequence<GATTService> {
    /// All characteristics of the services in their order, with their identifiers.
    public var identifiedCharacteristics: [IdentifiedCharacteristic] {
        var counts: [BluetoothUUID: Int] = [:]
        return flatMap(\.characteristics).map { characteristic in
            let occurrence = counts[characteristic.uuid, default: 0]
            counts[characteristic.uuid] = occurrence + 1
            return IdentifiedCharacteristic(
                identifier: CharacteristicIdentifier(characteristic.uuid, occurrence: occurrence),
                characteristic: characteristic)
        }
    }
}
