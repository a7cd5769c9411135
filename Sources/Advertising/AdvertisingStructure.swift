// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// An AD structure: a length byte, a type byte and data.
///
/// Core 5.4, Vol 3, Part C, 11; types from Assigned Numbers, 2.3. Data of unknown types, and data that is malformed for
/// its type, is stored as `.unknown`, so that every structure is serialized to the bytes that it was parsed from.
public enum AdvertisingStructure: Hashable, Sendable {
    /// Type 0x01, with one byte.
    case flags(AdvertisingFlags)
    /// Types 0x02 (more exist) and 0x03 (all).
    case serviceUUIDs16([UInt16], isComplete: Bool)
    /// Types 0x06 (more exist) and 0x07 (all).
    case serviceUUIDs128([UUID128], isComplete: Bool)
    /// Types 0x08 (shortened) and 0x09 (complete), valid UTF-8.
    case localName(String, isComplete: Bool)
    /// Type 0x0A.
    case transmitPower(TransmitPower)
    /// Type 0x16: a 16-bit service UUID and its data.
    case serviceData16(UInt16, [UInt8])
    /// Type 0xFF: a company and its data.
    case manufacturerSpecific(CompanyIdentifier, [UInt8])
    /// Any other type, or data that is malformed for its type.
    case unknown(type: UInt8, data: [UInt8])

    /// The number of bytes on air: length, type and data.
    public var size: Int {
        let data =
            switch self {
            case .flags, .transmitPower: 1
            case .serviceUUIDs16(let uuids, _): uuids.count * 2
            case .serviceUUIDs128(let uuids, _): uuids.count * 16
            case .localName(let name, _): name.utf8.count
            case .serviceData16(_, let data), .manufacturerSpecific(_, let data): 2 + data.count
            case .unknown(_, let data): data.count
            }
        return 2 + min(data, 254)
    }

    /// The AD type.
    public var type: UInt8 {
        switch self {
        case .flags: 0x01
        case .serviceUUIDs16(_, let isComplete): isComplete ? 0x03 : 0x02
        case .serviceUUIDs128(_, let isComplete): isComplete ? 0x07 : 0x06
        case .localName(_, let isComplete): isComplete ? 0x09 : 0x08
        case .transmitPower: 0x0A
        case .serviceData16: 0x16
        case .manufacturerSpecific: 0xFF
        case .unknown(let type, _): type
        }
    }

    /// The bytes after the type.
    public var data: [UInt8] { Array(serialized().dropFirst(2)) }

    /// The AD type's name in lower case with hyphens, as in `decode`; `nil` for an unknown type.
    public static func name(ofType type: UInt8) -> String? {
        switch type {
        case 0x01: "flags"
        case 0x02: "incomplete-service-uuids-16"
        case 0x03: "complete-service-uuids-16"
        case 0x04: "incomplete-service-uuids-32"
        case 0x05: "complete-service-uuids-32"
        case 0x06: "incomplete-service-uuids-128"
        case 0x07: "complete-service-uuids-128"
        case 0x08: "shortened-local-name"
        case 0x09: "complete-local-name"
        case 0x0A: "tx-power-level"
        case 0x12: "peripheral-connection-interval-range"
        case 0x14: "service-solicitation-uuids-16"
        case 0x15: "service-solicitation-uuids-128"
        case 0x16: "service-data-16"
        case 0x19: "appearance"
        case 0x1A: "advertising-interval"
        case 0x20: "service-data-32"
        case 0x21: "service-data-128"
        case 0x24: "uri"
        case 0xFF: "manufacturer-specific"
        default: nil
        }
    }
}

extension AdvertisingStructure: WireCodable {
    /// Parses one structure, whose length byte is at least 1.
    /// - Throws: `WireError`: `.badLength(0)` for the early end of the significant part, `.truncated` if the length
    ///   byte promises more bytes than there are.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        let length = Int(try reader.readUInt8())
        guard length > 0 else { throw WireError(.badLength(0), offset: start) }
        var body = try reader.reader(count: length)
        let type = try body.readUInt8()
        let data = Array(body.readAll())
        self = Self(type: type, data: data)
    }

    /// The structure of this type and data; `.unknown` if the data is malformed for the type.
    public init(type: UInt8, data: [UInt8]) {
        let known: AdvertisingStructure? =
            switch type {
            case 0x01 where data.count == 1: .flags(AdvertisingFlags(rawValue: data[0]))
            case 0x02, 0x03: Self.uuids16(data, isComplete: type == 0x03)
            case 0x06, 0x07: Self.uuids128(data, isComplete: type == 0x07)
            case 0x08, 0x09: String(validating: data, as: UTF8.self).map { .localName($0, isComplete: type == 0x09) }
            case 0x0A where data.count == 1: .transmitPower(TransmitPower(Int8(bitPattern: data[0])))
            case 0x16 where data.count >= 2:
                .serviceData16(UInt16(data[0]) | UInt16(data[1]) << 8, Array(data[2...]))
            case 0xFF where data.count >= 2:
                .manufacturerSpecific(
                    CompanyIdentifier(UInt16(data[0]) | UInt16(data[1]) << 8), Array(data[2...]))
            default: nil
            }
        self = known ?? .unknown(type: type, data: data)
    }

    private static func uuids16(_ data: [UInt8], isComplete: Bool) -> AdvertisingStructure? {
        guard data.count.isMultiple(of: 2) else { return nil }
        let uuids = stride(from: 0, to: data.count, by: 2).map { UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8 }
        return .serviceUUIDs16(uuids, isComplete: isComplete)
    }

    private static func uuids128(_ data: [UInt8], isComplete: Bool) -> AdvertisingStructure? {
        guard data.count.isMultiple(of: 16) else { return nil }
        let starts = stride(from: 0, to: data.count, by: 16)
        let uuids = starts.compactMap { UUID128(octets: data[$0..<$0 + 16].reversed()) }
        return .serviceUUIDs128(uuids, isComplete: isComplete)
    }

    /// Writes length, type and data. Data is cut to 254 bytes, the most that the length byte can count.
    public func serialize(into writer: inout ByteWriter) {
        var body = ByteWriter()
        body.write(type)
        switch self {
        case .flags(let flags):
            body.write(flags.rawValue)
        case .serviceUUIDs16(let uuids, _):
            for uuid in uuids { body.writeLittleEndian(uuid) }
        case .serviceUUIDs128(let uuids, _):
            for uuid in uuids { uuid.serialize(into: &body) }
        case .localName(let name, _):
            body.write(Array(name.utf8))
        case .transmitPower(let power):
            body.write(power.decibelMilliwatts)
        case .serviceData16(let uuid, let data):
            body.writeLittleEndian(uuid)
            body.write(data)
        case .manufacturerSpecific(let company, let data):
            body.writeLittleEndian(company.rawValue)
            body.write(data)
        case .unknown(_, let data):
            body.write(data)
        }
        let bytes = body.bytes.prefix(255)
        writer.write(UInt8(bytes.count))
        writer.write(bytes)
    }
}
