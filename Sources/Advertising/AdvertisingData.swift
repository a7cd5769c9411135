// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// The significant part of an advertisement or scan response: AD structures in their order on air.
///
/// Core 5.4, Vol 3, Part C, 11. Octets behind the significant part (a zero length and whatever follows) are kept, and so
/// are those that are no structure where `init(verbatim:)` was given them.
public struct AdvertisingData: Hashable, Sendable {
    /// The structures in order.
    public var structures: [AdvertisingStructure]
    /// What follows the structures: empty, octets that begin with a zero length, or what is no structure.
    public let padding: [UInt8]

    /// These structures in this order, and nothing behind them.
    public init(_ structures: [AdvertisingStructure] = []) {
        self.structures = structures
        padding = []
    }

    /// These octets whatever they are: as many structures as can be read, and the rest as it is.
    ///
    /// They serialise to themselves.
    public init(verbatim octets: [UInt8]) {
        var reader = ByteReader(octets)
        let (data, error) = Self.parsePrefix(of: &reader)
        self = error == nil ? data : Self(structures: data.structures, padding: Array(octets.dropFirst(data.size)))
    }

    /// Whether all of it is structures, or padding that a zero length announces.
    public var isWellFormed: Bool { padding.first ?? 0 == 0 }

    /// Octets on air, padding included.
    public var size: Int { serialized().count }

    /// The flags, when there are any.
    public var flags: AdvertisingFlags? {
        for case .flags(let flags) in structures { return flags }
        return nil
    }

    /// The local name, complete or shortened, when there is one.
    public var localName: String? {
        for case .localName(let name, _) in structures { return name }
        return nil
    }

    /// The first appearance in it (CSS, Part A, 1.12); `nil` when there is none.
    public var appearance: UInt16? {
        for case .unknown(type: 0x19, let data) in structures where data.count == 2 {
            return UInt16(data[0]) | UInt16(data[1]) << 8
        }
        return nil
    }
}

extension AdvertisingData: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        let (data, error) = Self.parsePrefix(of: &reader)
        if let error { throw error }
        self = data
    }

    /// Reads as many structures as can be read, and the error that ended it, if one did.
    public static func parsePrefix(of reader: inout ByteReader) -> (AdvertisingData, WireError?) {
        var structures: [AdvertisingStructure] = []
        while !reader.isAtEnd {
            let rest = reader
            do {
                structures.append(try AdvertisingStructure(parsing: &reader))
            } catch {
                guard error.kind == .badLength(0) else { return (AdvertisingData(structures), error) }
                reader = rest
                return (AdvertisingData(structures: structures, padding: Array(reader.readAll())), nil)
            }
        }
        return (AdvertisingData(structures), nil)
    }

    private init(structures: [AdvertisingStructure], padding: [UInt8]) {
        self.structures = structures
        self.padding = padding
    }

    public func serialize(into writer: inout ByteWriter) {
        for structure in structures { structure.serialize(into: &writer) }
        writer.write(padding)
    }
}

extension AdvertisingData: ExpressibleByArrayLiteral {
    public init(arrayLiteral structures: AdvertisingStructure...) {
        self.init(structures)
    }
}
