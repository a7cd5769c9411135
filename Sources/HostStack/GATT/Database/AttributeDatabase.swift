// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// The attribute table of a server: what it declares, by handle (Core 5.4, Vol 3, Part G, 2.5).
///
/// It is a value that never changes, so all connections to a device share one. The generic access and generic attribute
/// services come first unless they are declared; then all others follow in their order, without gaps.
package struct AttributeDatabase: Hashable, Sendable {
    /// The order in which the octets of the hash are read.
    ///
    /// The specification does not settle it in so many words: stacks differ.
    package enum HashOrder: Hashable, Sendable {
        /// Least significant first, as Bluetooth numbers are, Zephyr does it and the qualification tests expect it.
        case littleEndian
        /// As AES-CMAC gives it, as BlueZ and Bumble do it.
        case bigEndian
    }

    /// The table: the first attribute has handle 1.
    package let attributes: [Attribute]
    /// The hash of the table, in the order in which a client reads it: 16 octets.
    package let hash: [UInt8]

    /// The table of these services.
    /// - Throws: `AttributeDatabaseError` when there is no such table.
    package init(
        services: [GATTService], genericAccess: GenericAccess, hashOrder: HashOrder = .littleEndian
    ) throws(AttributeDatabaseError) {
        attributes = try AttributeTableBuilder(services: services, genericAccess: genericAccess).attributes()
        let hash = DatabaseHash.cipherBasedCode(of: attributes)
        self.hash = hashOrder == .bigEndian ? hash : hash.reversed()
    }

    /// The attribute of this handle; `nil` when there is none.
    package subscript(_ handle: AttributeHandle) -> Attribute? {
        let index = Int(handle.rawValue) - 1
        return attributes.indices.contains(index) ? attributes[index] : nil
    }

    /// The attributes whose handles are in a range, in their order.
    package subscript(_ range: ClosedRange<AttributeHandle>) -> ArraySlice<Attribute> {
        let start = max(Int(range.lowerBound.rawValue), 1) - 1
        let end = min(Int(range.upperBound.rawValue), attributes.count)
        return start < end ? attributes[start..<end] : []
    }

    /// All characteristics in their order, by the name that a device of these services has for them, with the handles of
    /// their values.
    package var valueHandles: [(characteristic: CharacteristicIdentifier, handle: AttributeHandle)] {
        var counts: [BluetoothUUID: Int] = [:]
        return zip(attributes, attributes.dropFirst()).compactMap { declaration, value in
            guard declaration.type.isSame(as: .characteristic) else { return nil }
            let occurrence = counts[value.type, default: 0]
            counts[value.type] = occurrence + 1
            return (CharacteristicIdentifier(value.type, occurrence: occurrence), value.handle)
        }
    }

    /// The handle of the value of the first characteristic of this type; `nil` when there is none.
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
    /// The table of a device without services of its own.
    static let empty: AttributeDatabase? = try? AttributeDatabase(services: [], genericAccess: GenericAccess(name: ""))

    /// The handles of the services that are declared otherwise than in a former table, as Service Changed has them
    /// (Core 5.4, Vol 3, Part G, 7.1); `nil` when none is.
    ///
    /// Values and permissions are no part of a declaration.
    package func affectedHandles(since former: AttributeDatabase) -> ClosedRange<AttributeHandle>? {
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

    /// The first handle whose attribute is not the same as in a former table in any respect; `nil` for equal tables.
    func firstDifference(from former: AttributeDatabase) -> AttributeHandle? {
        let common = zip(attributes, former.attributes).prefix { $0 == $1 }.count
        guard common < max(attributes.count, former.attributes.count) else { return nil }
        return AttributeHandle(UInt16(common + 1))
    }

    /// The handles of the service that the attribute at an index belongs to; behind the end, that handle alone.
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

    /// Whether clients find the same under this handle, but for values that no service definition has.
    fileprivate func isDeclared(as other: Attribute) -> Bool {
        guard type == other.type, groupEnd == other.groupEnd else { return false }
        if case .constant = value, case .constant = other.value, !DatabaseHash.includesValue(of: type) { return true }
        return value == other.value
    }
}
