// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The configuration service of IoT Design Shop beacons: its UUIDs, and the values of its characteristics.
public enum IoTDesignShop {
    /// The service; its UUID is also the beacon's default proximity UUID.
    public static let service = uuid("2173E519-9155-4862-AB64-7953AB146156")
    /// The proximity UUID: 16 bytes in text order.
    public static let beaconUUID = BluetoothUUID.bit128(uuid("2173E519-9155-4862-AB64-7953AB146157"))
    /// The major and the minor number (`MajorMinor`).
    public static let majorMinor = BluetoothUUID.bit128(uuid("2173E519-9155-4862-AB64-7953AB146158"))
    /// The power and the interval (`TransmitSettings`).
    public static let transmitSettings = BluetoothUUID.bit128(uuid("2173E519-9155-4862-AB64-7953AB146159"))

    private static func uuid(_ text: String) -> UUID128 {
        guard let uuid = UUID128(text) else { preconditionFailure("\(text) is a UUID") }
        return uuid
    }

    /// Two numbers in little-endian order; in the beacon's frame they are big-endian.
    public struct MajorMinor: WireCodable, Hashable {
        /// The major number.
        public var major: UInt16
        /// The minor number.
        public var minor: UInt16

        /// These numbers.
        public init(major: UInt16, minor: UInt16) {
            self.major = major
            self.minor = minor
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            major = try reader.readLittleEndian()
            minor = try reader.readLittleEndian()
        }

        public func serialize(into writer: inout ByteWriter) {
            writer.writeLittleEndian(major)
            writer.writeLittleEndian(minor)
        }
    }

    /// Power code and interval in little-endian order. The beacon accepts any values, also meaningless ones.
    public struct TransmitSettings: WireCodable, Hashable {
        /// 0 is -23 dBm, 1 is -6 dBm and 2 is 0 dBm; the effect of others is unknown.
        public var powerCode: UInt16
        /// The advertising interval in ticks of 0.625 ms; up to 65,535, of which 0x0020 to 0x4000 can be sent.
        public var interval: AdvertisingInterval

        /// These settings; intervals are limited to 65,535 ticks.
        public init(powerCode: UInt16, interval: AdvertisingInterval) {
            self.powerCode = powerCode
            self.interval = AdvertisingInterval(min(interval.count, 0xFFFF))
        }

        public init(parsing reader: inout ByteReader) throws(WireError) {
            powerCode = try reader.readLittleEndian()
            interval = AdvertisingInterval(UInt32(try reader.readLittleEndian(UInt16.self)))
        }

        public func serialize(into writer: inout ByteWriter) {
            writer.writeLittleEndian(powerCode)
            writer.writeLittleEndian(UInt16(truncatingIfNeeded: interval.count))
        }

        /// The power of the power code; `nil` if unknown.
        public var transmitPower: TransmitPower? { Self.transmitPower(code: powerCode) }

        /// The power of a code; `nil` if unknown.
        public static func transmitPower(code: UInt16) -> TransmitPower? { powers[code] }

        /// The code of a power; `nil` if there is none.
        public static func powerCode(of power: TransmitPower) -> UInt16? {
            powers.first { $0.value == power }?.key
        }

        private static let powers: [UInt16: TransmitPower] = [
            0: TransmitPower(-23), 1: TransmitPower(-6), 2: TransmitPower(0),
        ]
    }
}
