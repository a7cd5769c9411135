// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// A frame of Google's Eddystone: data of the 16-bit service 0xFEAA, of which the first octet says which frame it is.
///
/// "Eddystone Protocol Specification" (github.com/google/eddystone). All integers are big-endian.
public protocol EddystoneFrame: WireCodable, Hashable {}

/// What all Eddystone frames have in common.
public enum Eddystone {
    /// The service whose data the frames are.
    public static let service: UInt16 = 0xFEAA
    /// The decibels from the strength at no distance, which Eddystone tells, to the one at one metre.
    public static let lossToOneMetre = 41

    /// The strength received at one metre, of a beacon that is received with this one at no distance.
    static func measuredPower(_ power: TransmitPower) -> MeasuredPower {
        MeasuredPower(Int8(clamping: Int(power.decibelMilliwatts) - lossToOneMetre))
    }

    /// Reads the octets that say which frame it is.
    /// - Throws: `WireError`: truncated, or `.badValue` when it is another frame.
    static func readType(_ type: [UInt8], _ reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        guard Array(try reader.read(count: type.count)) == type else {
            throw WireError(.badValue(field: "Eddystone frame type"), offset: start)
        }
    }
}

extension EddystoneFrame {
    /// The frame as an AD structure.
    public var structure: AdvertisingStructure { .serviceData16(Eddystone.service, serialized(capacity: 20)) }

    /// Flags, the list of services that scanners filter by, and the frame: at most 31 octets; `nil` flags leave that
    /// structure out.
    public func advertisingData(flags: AdvertisingFlags? = .beacon) -> AdvertisingData {
        let services = AdvertisingStructure.serviceUUIDs16([Eddystone.service], isComplete: true)
        return AdvertisingData([flags.map { .flags($0) }, services, structure].compactMap { $0 })
    }

    /// The frame in this structure, if it is one.
    public init?(_ structure: AdvertisingStructure) {
        guard case .serviceData16(Eddystone.service, let data) = structure, let frame = try? Self(parsing: data) else {
            return nil
        }
        self = frame
    }
}
