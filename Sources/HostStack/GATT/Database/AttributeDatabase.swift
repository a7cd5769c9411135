// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// An attribute: one row of an attribute table (Core 5.4, Vol 3, Part F, 3.2).
package struct Attribute: Hashable, Sendable {
    /// The origin of the value.
    package enum Value: Hashable, Sendable {
        /// A constant value.
        case constant([UInt8])
        /// The owner of the services knows it: a characteristic value, or a descriptor that the owner serves.
        case owner
        /// The subscription of each client to the characteristic with this value handle.
        case clientConfiguration(of: AttributeHandle, allowed: ClientCharacteristicConfiguration)
        /// Whether the characteristic with this value handle is broadcast.
        case serverConfiguration(of: AttributeHandle)
        /// The features of each client.
        case clientSupportedFeatures
        /// The hash of the attribute table.
        case databaseHash
    }

    /// The maximum length of a value, in bytes (Core 5.4, Vol 3, Part F, 3.2.9).
    static let maximumLength = 512

    /// Its handle.
    let handle: AttributeHandle
    /// Its type; for a characteristic value, the type of the characteristic.
    let type: BluetoothUUID
    /// The origin of its value.
    let value: Value
    /// Whether it can be read.
    let isReadable: Bool
    /// Whether it can be written.
    let isWritable: Bool
    /// The security that reading and writing require.
    let permissions: AttributePermissions
    /// The last attribute of the service that it declares; itself if it declares none.
    let groupEnd: AttributeHandle
    /// For a characteristic value, the subscription of clients that have none of their own: there is no descriptor for it.
    var standingSubscription: ClientCharacteristicConfiguration = []
}

/// The attribute table of a server, by handle (Core 5.4, Vol 3, Part G, 2.5).
///
/// A constant value that all connections to a device share. The Generic Access and Generic Attribute services come
/// first unless they are declared; all others follow in their order, without gaps.
package struct AttributeDatabase: Hashable, Sendable {
    /// The byte order of the hash. The specification is not clear, and stacks differ.
    package enum HashOrder: Hashable, Sendable {
        /// Least significant byte first, like other Bluetooth numbers: Zephyr and the qualification tests.
        case littleEndian
        /// The order of AES-CMAC: BlueZ and Bumble.
        case bigEndian
    }

    /// The attributes; the first one has handle 1.
    package let attributes: [Attribute]
    /// The hash of the table, in the order in which a client reads it: 16 bytes.
    package let hash: [UInt8]

    /// The table of these services.
    /// - Throws: `AttributeDatabaseError` if the services do not fit into a table.
    package init(
        services: [GATTService], genericAccess: GenericAccess, hashOrder: HashOrder = .littleEndian
    ) throws(AttributeDatabaseError) {
        attributes = try AttributeTableBuilder(services: services, genericAccess: genericAccess).attributes()
        let hash = DatabaseHash.cipherBasedCode(of: attributes)
        self.hash = hashOrder == .bigEndian ? hash : hash.reversed()
    }

    /// The attribute with this handle; `nil` if there is none.
    package subscript(_ handle: AttributeHandle) -> Attribute? {
        let index = Int(handle.rawValue) - 1
        return attributes.indices.contains(index) ? attributes[index] : nil
    }

    /// The attributes with handles in a range, in their order.
    package subscript(_ range: ClosedRange<AttributeHandle>) -> ArraySlice<Attribute> {
        let start = max(Int(range.lowerBound.rawValue), 1) - 1
        let end = min(Int(range.upperBound.rawValue), attributes.count)
        return start < end ? attributes[start..<end] : []
    }

    /// The identifiers of all characteristics in their order, with their value handles.
    package var valueHandles: [(characteristic: CharacteristicIdentifier, handle: AttributeHandle)] {
        var counts: [BluetoothUUID: Int] = [:]
        return zip(attributes, attributes.dropFirst()).compactMap { declaration, value in
            guard declaration.type.isSame(as: .characteristic) else { return nil }
            let occurrence = counts[value.type, default: 0]
            counts[value.type] = occurrence + 1
            return (CharacteristicIdentifier(value.type, occurrence: occurrence), value.handle)
        }
    }

    /// The handles of each service, in their order.
    package var serviceRanges: [ClosedRange<AttributeHandle>] {
        attributes.filter(\.isServiceDeclaration).map { $0.handle...$0.groupEnd }
    }

    /// The descriptors that the owner serves, in their order, with their handles. The number counts those of one characteristic.
    package var servedDescriptors: [(characteristic: CharacteristicIdentifier, number: Int, handle: AttributeHandle)] {
        let values = Dictionary(uniqueKeysWithValues: valueHandles.map { ($0.handle, $0.characteristic) })
        var characteristic: CharacteristicIdentifier?
        var number = 0
        return attributes.compactMap { attribute in
            if let next = values[attribute.handle] {
                (characteristic, number) = (next, 0)
                return nil
            }
            guard case .owner = attribute.value, let characteristic else { return nil }
            defer { number += 1 }
            return (characteristic, number, attribute.handle)
        }
    }

    /// The value handle of the first characteristic of this type; `nil` if there is none.
    package func valueHandle(of characteristic: BluetoothUUID) -> AttributeHandle? {
        let type = characteristic.shortest
        for (declaration, value) in zip(attributes, attributes.dropFirst())
        where declaration.type.isSame(as: .characteristic) && value.type.isSame(as: type) {
            return value.handle
        }
        return nil
    }
}

// MARK: - Differences

extension AttributeDatabase {
    /// The table of a device that declares no services.
    static let empty: AttributeDatabase? = try? AttributeDatabase(services: [], genericAccess: GenericAccess(name: ""))

    /// The handles of the services whose declarations differ from a former table, as Service Changed reports them
    /// (Core 5.4, Vol 3, Part G, 7.1); `nil` if none differs.
    ///
    /// Values and permissions are not part of a declaration.
    func affectedHandles(since former: AttributeDatabase) -> ClosedRange<AttributeHandle>? {
        let (new, old) = (attributes, former.attributes)
        let common = min(new.count, old.count)
        let differences = (0..<common).filter { !new[$0].isDeclared(as: old[$0]) }
        guard let first = differences.first ?? (new.count == old.count ? nil : common) else { return nil }
        var end = AttributeHandle(UInt16(max(new.count, old.count)))
        if new.count == old.count, let last = differences.last {
            end = max(serviceHandles(at: last).upperBound, former.serviceHandles(at: last).upperBound)
        }
        return min(serviceHandles(at: first).lowerBound, former.serviceHandles(at: first).lowerBound)...end
    }

    /// The handles of the service with the attribute at an index; beyond the last service, that handle alone.
    private func serviceHandles(at index: Int) -> ClosedRange<AttributeHandle> {
        let handle = AttributeHandle(UInt16(index + 1))
        guard let declaration = attributes.prefix(index + 1).last(where: \.isServiceDeclaration),
            declaration.groupEnd >= handle
        else { return handle...handle }
        return declaration.handle...declaration.groupEnd
    }
}

extension Attribute {
    fileprivate var isServiceDeclaration: Bool {
        type.isSame(as: .primaryService) || type.isSame(as: .secondaryService)
    }

    /// Whether both attributes have the same declaration, apart from values that are not part of a service definition.
    fileprivate func isDeclared(as other: Attribute) -> Bool {
        guard type == other.type, groupEnd == other.groupEnd else { return false }
        if case .constant = value, case .constant = other.value, !DatabaseHash.includesValue(of: type) { return true }
        return value == other.value
    }
}

/// The hash by which a client recognizes a table (Core 5.4, Vol 3, Part G, 7.3.1).
enum DatabaseHash {
    /// AES-CMAC with a key of zeros, in the order of the computation: 16 bytes.
    static func cipherBasedCode(of attributes: [Attribute]) -> [UInt8] {
        SecurityCipher.authenticationCode(of: input(of: attributes), key: [UInt8](repeating: 0, count: 16))
    }

    /// The input of the hash: declarations with their values, descriptors without, and no other attributes.
    static func input(of attributes: [Attribute]) -> [UInt8] {
        var writer = ByteWriter()
        for attribute in attributes {
            guard case .bit16(let type) = attribute.type, withValue.contains(type) || withoutValue.contains(type) else {
                continue
            }
            attribute.handle.serialize(into: &writer)
            writer.writeLittleEndian(type)
            if withValue.contains(type), case .constant(let value) = attribute.value { writer.write(value) }
        }
        return writer.bytes
    }

    /// Whether the value of an attribute of this type is part of the service definition.
    static func includesValue(of type: BluetoothUUID) -> Bool {
        if case .bit16(let type) = type { withValue.contains(type) } else { false }
    }

    private static let withValue: Set<UInt16> = [0x2800, 0x2801, 0x2802, 0x2803, 0x2900]
    private static let withoutValue: Set<UInt16> = [0x2901, 0x2902, 0x2903, 0x2904, 0x2905]
}

/// The reason why services do not fit into one table.
package enum AttributeDatabaseError: Error, Hashable, Sendable {
    /// The services need this number of attributes; there are 65,535 handles.
    case tooManyAttributes(Int)
    /// A service includes one that is not declared.
    case includedServiceMissing(BluetoothUUID)
}

extension AttributeDatabaseError: CustomStringConvertible {
    /// One clause.
    package var description: String {
        switch self {
        case .tooManyAttributes(let count): "the services need \(count) attributes, and there are 65535 handles"
        case .includedServiceMissing(let uuid): "service \(uuid) is included and not declared"
        }
    }
}
