// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Assigns handles to the attributes of services.
struct AttributeTableBuilder {
    private let services: [GATTService]
    private let genericAccess: GenericAccess
    /// Whether the Generic Access service is not declared: then its values are known here.
    private let ownsGenericAccess: Bool

    init(services: [GATTService], genericAccess: GenericAccess) {
        var all = services
        let declared = services.map(\.uuid.shortest)
        if !declared.contains(where: { $0.isSame(as: .genericAttribute) }) { all.insert(.genericAttribute, at: 0) }
        ownsGenericAccess = !declared.contains { $0.isSame(as: .genericAccess) }
        if ownsGenericAccess { all.insert(genericAccess.service, at: 0) }
        self.services = all
        self.genericAccess = genericAccess
    }

    func attributes() throws(AttributeDatabaseError) -> [Attribute] {
        let ranges = try handleRanges()
        var attributes: [Attribute] = []
        attributes.reserveCapacity(ranges.last.map { Int($0.upperBound.rawValue) } ?? 0)
        for (number, service) in services.enumerated() {
            attributes.append(
                .constant(
                    service.uuid.attributeTypeBytes, type: service.isPrimary ? .primaryService : .secondaryService,
                    handle: ranges[number].lowerBound, groupEnd: ranges[number].upperBound))
            for included in service.includedServices {
                let value = try inclusion(of: included, in: ranges)
                attributes.append(.constant(value, type: .include, handle: attributes.nextHandle))
            }
            for characteristic in service.characteristics {
                append(characteristic, of: service, isFirstService: number == 0, to: &attributes)
            }
        }
        return attributes
    }

    private func handleRanges() throws(AttributeDatabaseError) -> [ClosedRange<AttributeHandle>] {
        let counts = services.map { service in
            1 + service.includedServices.count
                + service.characteristics.reduce(0) { $0 + 2 + $1.completedDescriptors.count }
        }
        let total = counts.reduce(0, +)
        guard total <= Int(UInt16.max) else { throw .tooManyAttributes(total) }
        var next = 1
        return counts.map { count in
            defer { next += count }
            return AttributeHandle(UInt16(next))...AttributeHandle(UInt16(next + count - 1))
        }
    }

    private func inclusion(
        of uuid: BluetoothUUID, in ranges: [ClosedRange<AttributeHandle>]
    ) throws(AttributeDatabaseError) -> [UInt8] {
        let type = uuid.shortest
        guard let number = services.firstIndex(where: { $0.uuid.shortest.isSame(as: type) }) else {
            throw .includedServiceMissing(uuid)
        }
        var writer = ByteWriter()
        ranges[number].lowerBound.serialize(into: &writer)
        ranges[number].upperBound.serialize(into: &writer)
        // A longer type is omitted: the client reads it from the declaration of the service.
        if case .bit16(let short) = type { writer.writeLittleEndian(short) }
        return writer.bytes
    }

    private func append(
        _ characteristic: GATTCharacteristic, of service: GATTService, isFirstService: Bool,
        to attributes: inout [Attribute]
    ) {
        let declaration = attributes.nextHandle
        let valueHandle = AttributeHandle(declaration.rawValue + 1)
        var writer = ByteWriter()
        writer.write(characteristic.properties.rawValue)
        valueHandle.serialize(into: &writer)
        writer.write(characteristic.uuid.attributeTypeBytes)
        attributes.append(.constant(writer.bytes, type: .characteristic, handle: declaration))
        let type = characteristic.uuid.shortest
        attributes.append(
            Attribute(
                handle: valueHandle, type: type,
                value: value(of: type, in: service.uuid.shortest, isFirstService: isFirstService),
                isReadable: characteristic.properties.contains(.read),
                isWritable: !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse]),
                permissions: characteristic.permissions, groupEnd: valueHandle,
                standingSubscription: characteristic.standingSubscription))
        for descriptor in characteristic.completedDescriptors {
            attributes.append(
                descriptor.attribute(of: characteristic, valueHandle: valueHandle, handle: attributes.nextHandle))
        }
    }

    private func value(of type: BluetoothUUID, in service: BluetoothUUID, isFirstService: Bool) -> Attribute.Value {
        if isFirstService, ownsGenericAccess, let value = genericAccess.value(of: type) { return .constant(value) }
        guard service.isSame(as: .genericAttribute) else { return .owner }
        if type.isSame(as: .clientSupportedFeatures) { return .clientSupportedFeatures }
        return type.isSame(as: .databaseHash) ? .databaseHash : .owner
    }
}

extension [Attribute] {
    /// The handle of the next attribute that is appended; the count was checked before.
    fileprivate var nextHandle: AttributeHandle { AttributeHandle(UInt16(truncatingIfNeeded: count + 1)) }
}

extension Attribute {
    /// A readable attribute with a constant value.
    fileprivate static func constant(
        _ value: [UInt8], type: BluetoothUUID, handle: AttributeHandle, groupEnd: AttributeHandle? = nil
    ) -> Attribute {
        Attribute(
            handle: handle, type: type, value: .constant(value), isReadable: true, isWritable: false,
            permissions: .open, groupEnd: groupEnd ?? handle)
    }
}

extension GATTCharacteristic {
    /// Its descriptors, preceded by those that its properties imply and that are not declared.
    fileprivate var completedDescriptors: [GATTDescriptor] {
        let declared = descriptors.map(\.uuid.shortest)
        func needs(_ descriptor: GATTDescriptor) -> Bool { !declared.contains { $0.isSame(as: descriptor.uuid) } }
        var added: [GATTDescriptor] = []
        if hasClientConfiguration, !properties.isDisjoint(with: [.notify, .indicate]), needs(.clientConfiguration) {
            added.append(.clientConfiguration)
        }
        if properties.contains(.broadcast), needs(.serverConfiguration) { added.append(.serverConfiguration) }
        if properties.contains(.extendedProperties), needs(.extendedProperties([])) {
            added.append(.extendedProperties([]))
        }
        return added + descriptors
    }
}

extension GATTDescriptor {
    fileprivate func attribute(
        of characteristic: GATTCharacteristic, valueHandle: AttributeHandle, handle: AttributeHandle
    ) -> Attribute {
        let type = uuid.shortest
        if let service {
            return Attribute(
                handle: handle, type: type, value: .owner, isReadable: service.read != nil,
                isWritable: service.write != nil,
                permissions: AttributePermissions(
                    read: service.read ?? [], write: service.write ?? [],
                    minimumKeySize: characteristic.permissions.minimumKeySize),
                groupEnd: handle)
        }
        let value: Attribute.Value
        if type.isSame(as: .clientCharacteristicConfiguration) {
            value = .clientConfiguration(of: valueHandle, allowed: characteristic.allowedConfiguration)
        } else if type.isSame(as: .serverCharacteristicConfiguration) {
            value = .serverConfiguration(of: valueHandle)
        } else {
            value = .constant(self.value)
        }
        var isWritable = true
        if case .constant = value { isWritable = false }
        let permissions = AttributePermissions(
            read: read, write: characteristic.permissions.subscribe,
            minimumKeySize: characteristic.permissions.minimumKeySize)
        return Attribute(
            handle: handle, type: type, value: value, isReadable: true, isWritable: isWritable,
            permissions: permissions, groupEnd: handle)
    }
}

extension GATTCharacteristic {
    /// The subscriptions that are allowed: those that its properties support, or any for a configuration without use.
    fileprivate var allowedConfiguration: ClientCharacteristicConfiguration {
        var allowed: ClientCharacteristicConfiguration = []
        if properties.contains(.notify) { allowed.insert(.notification) }
        if properties.contains(.indicate) { allowed.insert(.indication) }
        return allowed.isEmpty ? [.notification, .indication] : allowed
    }
}
