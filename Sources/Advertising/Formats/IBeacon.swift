// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// Apple's proximity beacon frame: manufacturer-specific data of company 0x004C, type 0x02, length 0x15.
///
/// The layout follows "Proximity Beacon Specification" (Apple, R1): UUID in text order, major and minor big-endian,
/// then the measured power.
public struct IBeacon: Hashable, Sendable {
    /// The proximity UUID, which identifies the owner of the beacons.
    public var uuid: UUID128
    /// The major number, which identifies a group of beacons: 0 to 65535.
    public var major: UInt16
    /// The minor number, which identifies the beacon within its group: 0 to 65535.
    public var minor: UInt16
    /// The RSSI at 1 m.
    public var measuredPower: MeasuredPower

    /// A frame with these values.
    public init(uuid: UUID128, major: UInt16, minor: UInt16, measuredPower: MeasuredPower) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    /// The frame as an AD structure of 27 bytes.
    public var structure: AdvertisingStructure {
        .manufacturerSpecific(.apple, serialized(capacity: 23))
    }

    /// Flags and frame, 30 bytes; `nil` flags leave that structure out.
    public func advertisingData(flags: AdvertisingFlags? = .beacon) -> AdvertisingData {
        AdvertisingData([flags.map { .flags($0) }, structure].compactMap { $0 })
    }

    /// The frame in an AD structure; `nil` unless the structure has exactly 25 bytes of company and data with the frame
    /// type.
    public init?(_ structure: AdvertisingStructure) {
        guard case .manufacturerSpecific(.apple, let data) = structure, let frame = try? IBeacon(parsing: data) else {
            return nil
        }
        self = frame
    }
}

extension IBeacon: WireCodable {
    /// Parses the 23 bytes after the company identifier.
    /// - Throws: `WireError`: truncated, or `.badValue` if type and length are not 0x02 0x15.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        guard try reader.readBigEndian(UInt16.self) == 0x0215 else {
            throw WireError(.badValue(field: "iBeacon type and length"), offset: start)
        }
        uuid = try UUID128(parsingText: &reader)
        major = try reader.readBigEndian()
        minor = try reader.readBigEndian()
        measuredPower = MeasuredPower(try reader.readInt8())
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeBigEndian(UInt16(0x0215))
        writer.write(uuid.octets)
        writer.writeBigEndian(major)
        writer.writeBigEndian(minor)
        writer.write(measuredPower.decibelMilliwatts)
    }
}

extension IBeacon: MeasuredBeacon {
    public static let formatName = "ibeacon"

    public var identity: BeaconIdentity? {
        BeaconIdentity(format: Self.formatName, .numbers(uuid, major: major, minor: minor))
    }

    public var fields: [BeaconField] {
        [
            BeaconField("uuid", .text(uuid.description), text: uuid.description),
            .integer("major", "major", major), .integer("minor", "minor", minor),
            .integer("measuredPower", "measured power", measuredPower.decibelMilliwatts, unit: "dBm"),
        ]
    }
}

extension IBeacon: TransmittableBeacon {
    package static let template = IBeacon(
        uuid: .ofTemplate, major: 0, minor: 0, measuredPower: MeasuredPower(-59))

    package static let keys: [BeaconKey<IBeacon>] = [
        BeaconKey("uuid", "Proximity UUID", .uuid, \.uuid, isRequired: true),
        BeaconKey("major", "Major number", .number, \.major),
        BeaconKey("minor", "Minor number", .number, \.minor),
        BeaconKey("measured-power", "Measured power, the RSSI at 1 m", .measuredPower, \.measuredPower),
    ]

    package static let example: KeyValuePairs = [
        "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": "1", "minor": "2",
    ]
}
