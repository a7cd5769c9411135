// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The AltBeacon frame: manufacturer-specific data of any company that begins with the code 0xBEAC.
///
/// "AltBeacon Protocol Specification v1.0" (Radius Networks): 20 bytes identify the beacon, of which the first 16
/// should identify its organisation. Like most receivers, this type divides them into three parts.
public struct AltBeacon: Hashable, Sendable {
    /// The company whose number begins the frame.
    public var company: CompanyIdentifier
    /// The first 16 bytes of the identifier.
    public var id1: UUID128
    /// The next two bytes, big-endian.
    public var id2: UInt16
    /// The last two bytes, big-endian.
    public var id3: UInt16
    /// The RSSI at 1 m.
    public var measuredPower: MeasuredPower
    /// A byte reserved for the manufacturer.
    public var manufacturerReserved: UInt8

    /// The identity and calibration of one beacon.
    public init(
        company: CompanyIdentifier, id1: UUID128, id2: UInt16, id3: UInt16, measuredPower: MeasuredPower,
        manufacturerReserved: UInt8 = 0
    ) {
        self.company = company
        self.id1 = id1
        self.id2 = id2
        self.id3 = id3
        self.measuredPower = measuredPower
        self.manufacturerReserved = manufacturerReserved
    }

    /// The frame as an AD structure of 28 bytes.
    public var structure: AdvertisingStructure {
        .manufacturerSpecific(company, Array(serialized(capacity: 26).dropFirst(2)))
    }

    /// The flags and the frame, 31 bytes; without the flags structure if `flags` is `nil`.
    public func advertisingData(flags: AdvertisingFlags? = .beacon) -> AdvertisingData {
        AdvertisingData([flags.map { .flags($0) }, structure].compactMap { $0 })
    }

    /// The frame in an AD structure; `nil` unless the structure has exactly 26 bytes of company and data with the code.
    public init?(_ structure: AdvertisingStructure) {
        guard case .manufacturerSpecific = structure, let frame = try? AltBeacon(parsing: structure.data) else {
            return nil
        }
        self = frame
    }
}

extension AltBeacon: WireCodable {
    /// Parses the 26 bytes from the company identifier on.
    /// - Throws: `WireError`: truncated, or `.badValue` if the code is not 0xBEAC.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        company = CompanyIdentifier(try reader.readLittleEndian())
        let start = reader.offset
        guard try reader.readBigEndian(UInt16.self) == 0xBEAC else {
            throw WireError(.badValue(field: "AltBeacon code"), offset: start)
        }
        id1 = try UUID128(parsingText: &reader)
        id2 = try reader.readBigEndian()
        id3 = try reader.readBigEndian()
        measuredPower = MeasuredPower(try reader.readInt8())
        manufacturerReserved = try reader.readUInt8()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(company.rawValue)
        writer.writeBigEndian(UInt16(0xBEAC))
        writer.write(id1.octets)
        writer.writeBigEndian(id2)
        writer.writeBigEndian(id3)
        writer.write(measuredPower.decibelMilliwatts)
        writer.write(manufacturerReserved)
    }
}

extension AltBeacon: MeasuredBeacon {
    public static let formatName = "altbeacon"

    public var identity: BeaconIdentity? {
        BeaconIdentity(format: Self.formatName, .numbers(id1, major: id2, minor: id3))
    }

    public var fields: [BeaconField] {
        let companyDigits = Hexadecimal.string([UInt8(company.rawValue >> 8), UInt8(company.rawValue & 0xFF)])
        return [
            BeaconField("company", .integer(Int(company.rawValue)), text: "company 0x\(companyDigits)"),
            BeaconField("id1", .text(id1.description), text: id1.description),
            .integer("id2", "id2", id2), .integer("id3", "id3", id3),
            .integer("measuredPower", "measured power", measuredPower.decibelMilliwatts, unit: "dBm"),
            BeaconField(
                "manufacturerReserved", .integer(Int(manufacturerReserved)),
                text: "reserved 0x" + Hexadecimal.string([manufacturerReserved])),
        ]
    }
}

extension AltBeacon: TransmittableBeacon {
    /// The company of the specification's authors, Radius Networks.
    package static let template = AltBeacon(
        company: CompanyIdentifier(0x0118), id1: .ofTemplate, id2: 0, id3: 0, measuredPower: MeasuredPower(-59))

    package static let keys: [BeaconKey<AltBeacon>] = [
        BeaconKey("id1", "First 16 bytes of the identifier", .uuid, \.id1, isRequired: true),
        BeaconKey("id2", "Next two bytes of the identifier", .number, \.id2),
        BeaconKey("id3", "Last two bytes of the identifier", .number, \.id3),
        BeaconKey("measured-power", "Measured power, the RSSI at 1 m", .measuredPower, \.measuredPower),
        BeaconKey("company", "Company identifier of the manufacturer", .company, \.company),
        BeaconKey("reserved", "Byte reserved for the manufacturer", .number, \.manufacturerReserved),
    ]

    package static let example: KeyValuePairs = [
        "id1": "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "id2": "1", "id3": "2",
    ]
}
