// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A frame of Google's Eddystone: data of the 16-bit service 0xFEAA, whose first byte is the frame type.
///
/// "Eddystone Protocol Specification" (github.com/google/eddystone). All integers are big-endian.
public protocol EddystoneFrame: WireCodable, Hashable {}

/// What all Eddystone frames have in common.
public enum Eddystone {
    /// The UUID of the service data.
    public static let service: UInt16 = 0xFEAA
    /// The difference in dB between the power at 0 m, which Eddystone frames contain, and the RSSI at 1 m.
    public static let lossToOneMetre = 41

    /// The RSSI at 1 m of a beacon with this power at 0 m.
    static func measuredPower(_ power: TransmitPower) -> MeasuredPower {
        MeasuredPower(Int8(clamping: Int(power.decibelMilliwatts) - lossToOneMetre))
    }

    /// The power at 0 m of a beacon with this RSSI at 1 m, within -100...20 dBm, which Eddystone frames can have.
    static func power(_ measuredPower: MeasuredPower) -> TransmitPower {
        TransmitPower(Int8(min(max(Int(measuredPower.decibelMilliwatts) + lossToOneMetre, -100), 20)))
    }

    /// Parses the bytes of the frame type.
    /// - Throws: `WireError`: truncated, or `.badValue` for another frame type.
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

    /// The flags, the list of services that scanners filter by, and the frame: at most 31 bytes; `nil` flags leave that
    /// structure out.
    public func advertisingData(flags: AdvertisingFlags? = .beacon) -> AdvertisingData {
        let services = AdvertisingStructure.serviceUUIDs16([Eddystone.service], isComplete: true)
        return AdvertisingData([flags.map { .flags($0) }, services, structure].compactMap { $0 })
    }

    /// The frame in an AD structure; `nil` if the structure has no such frame.
    public init?(_ structure: AdvertisingStructure) {
        guard case .serviceData16(Eddystone.service, let data) = structure, let frame = try? Self(parsing: data) else {
            return nil
        }
        self = frame
    }
}
