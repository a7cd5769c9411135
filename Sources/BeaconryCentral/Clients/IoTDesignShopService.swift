// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// The configuration service of the IoT Design Shop beacon.
public struct IoTDesignShopService: ServiceDescription {
    private static let base: BaseUUID = "2173E519-9155-4862-AB64-7953AB146156"

    public static let uuid = base.adding(0)
    /// The proximity UUID.
    public let beaconUUID = CharacteristicDescription(base.adding(1), .uuidInTextOrder)
    /// The major and the minor number.
    public let majorMinor = CharacteristicDescription(base.adding(2), ValueCodec<MajorMinor>.wire)
    /// The power and the interval.
    public let transmitSettings = CharacteristicDescription(base.adding(3), ValueCodec<TransmitSettings>.wire)

    /// The description.
    public init() {}

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
        public var transmitPower: TransmitPower? { Self.powers[powerCode] }

        /// The code of a power; `nil` if there is none.
        public static func powerCode(of power: TransmitPower) -> UInt16? {
            powers.first { $0.value == power }?.key
        }

        private static let powers: [UInt16: TransmitPower] = [
            0: TransmitPower(-23), 1: TransmitPower(-6), 2: TransmitPower(0),
        ]
    }
}
