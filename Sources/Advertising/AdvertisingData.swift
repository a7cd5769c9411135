// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The significant part of an advertisement or scan response: AD structures in their order on air.
///
/// Core 5.4, Vol 3, Part C, 11. Bytes after the significant part (a zero length and what follows) are preserved as
/// padding; `init(verbatim:)` also preserves bytes that form no structure. The data is encoded once, at its creation.
public struct AdvertisingData: Hashable, Sendable {
    /// The structures in order.
    public private(set) var structures: [AdvertisingStructure]
    /// The bytes on air, padding included; encoded once.
    public private(set) var bytes: [UInt8]
    /// The bytes after the structures: none, or a zero length and what follows, or bytes that form no structure.
    public let padding: [UInt8]

    /// These structures in order, without padding.
    public init(_ structures: [AdvertisingStructure] = []) {
        self.init(structures: structures, padding: [])
    }

    /// Appends a structure.
    /// - Precondition: There is no padding.
    public mutating func append(_ structure: AdvertisingStructure) {
        precondition(padding.isEmpty, "a structure after padding is not part of the data")
        structures.append(structure)
        var writer = ByteWriter(capacity: structure.size)
        structure.serialize(into: &writer)
        bytes += writer.bytes
    }

    /// Any bytes: as many structures as can be parsed, and the rest as padding. They are serialized to the same bytes.
    public init(verbatim bytes: [UInt8]) {
        let (data, error) = Self.prefix(of: bytes)
        self = error == nil ? data : Self(structures: data.structures, padding: Array(bytes.dropFirst(data.size)))
    }

    /// The same data with other structures; padding stays as it is.
    package func mapStructures(_ change: (AdvertisingStructure) -> AdvertisingStructure) -> AdvertisingData {
        AdvertisingData(structures: structures.map(change), padding: padding)
    }

    /// Whether all bytes are structures or padding that begins with a zero length.
    public var isWellFormed: Bool { padding.first ?? 0 == 0 }

    /// The number of bytes on air, padding included.
    public var size: Int { bytes.count }

    /// The flags; `nil` if there are none.
    public var flags: AdvertisingFlags? {
        for case .flags(let flags) in structures { return flags }
        return nil
    }

    /// The local name, complete or shortened; `nil` if there is none.
    public var localName: String? {
        for case .localName(let name, _) in structures { return name }
        return nil
    }

    /// The first appearance (CSS, Part A, 1.12); `nil` if there is none.
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

    /// The structures at the beginning of bytes that need not be well-formed, and the error after them; `nil` for none.
    public static func prefix(of bytes: [UInt8]) -> (data: AdvertisingData, error: WireError?) {
        var reader = ByteReader(bytes)
        return parsePrefix(of: &reader)
    }

    /// Parses structures until the end or an error, and returns both.
    private static func parsePrefix(of reader: inout ByteReader) -> (AdvertisingData, WireError?) {
        var all = reader
        var structures: [AdvertisingStructure] = []
        while !reader.isAtEnd {
            let rest = reader
            do {
                structures.append(try AdvertisingStructure(parsing: &reader))
            } catch {
                guard error.kind == .badLength(0) else { return (AdvertisingData(structures), error) }
                reader = rest
                let padding = Array(reader.readAll())
                return (AdvertisingData(structures: structures, padding: padding, bytes: Array(all.readAll())), nil)
            }
        }
        // Structures are serialized to the bytes that they were parsed from, so there is nothing to encode.
        return (AdvertisingData(structures: structures, padding: [], bytes: Array(all.readAll())), nil)
    }

    private init(structures: [AdvertisingStructure], padding: [UInt8], bytes: [UInt8]) {
        self.structures = structures
        self.padding = padding
        self.bytes = bytes
    }

    private init(structures: [AdvertisingStructure], padding: [UInt8]) {
        self.structures = structures
        self.padding = padding
        // Thousands of beacons have such data, and most of them an empty scan response: exactly the bytes that are needed.
        var writer = ByteWriter(capacity: structures.reduce(padding.count) { $0 + $1.size })
        for structure in structures { structure.serialize(into: &writer) }
        writer.write(padding)
        bytes = writer.bytes
    }

    public func serialize(into writer: inout ByteWriter) { writer.write(bytes) }

    /// The bytes on air.
    public func serialized() -> [UInt8] { bytes }
}

extension AdvertisingData: ExpressibleByArrayLiteral {
    public init(arrayLiteral structures: AdvertisingStructure...) {
        self.init(structures)
    }
}
