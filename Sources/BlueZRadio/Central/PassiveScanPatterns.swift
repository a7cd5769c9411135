// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The patterns of org.bluez.AdvertisementMonitor1 with which bluetoothd scans passively. It reports an advertisement
/// that has one of them, and no pattern fits all advertisements.
///
/// The flags alone let most devices through. The other patterns are for advertisements without flags, which beacons
/// with ADV_NONCONN_IND may send: manufacturer data by the most significant byte of the company, and service data by
/// the most significant byte of a 16-bit UUID. Since 5.71, bluetoothd compares service data without their UUID
/// (`match_service` in shared/ad.c): there the patterns with the first bytes of the frames of Eddystone, BTHome and sensors let
/// these frames through.
enum PassiveScanPatterns {
    /// Bytes that an AD structure has at a place.
    struct Pattern: Hashable, Sendable {
        /// The first byte of the structure's data that is compared.
        let start: UInt8
        /// The AD type.
        let type: UInt8
        /// The bytes.
        let content: [UInt8]

        init(_ type: UInt8, at start: UInt8 = 0, _ content: [UInt8]) {
            self.start = start
            self.type = type
            self.content = content
        }

        /// Whether an advertisement with this structure has it.
        func matches(type: UInt8, data: [UInt8]) -> Bool {
            type == self.type && data.dropFirst(Int(start)).starts(with: content)
        }
    }

    /// What a monitor lets through.
    struct Monitor: Hashable, Sendable {
        /// The advertisements, for messages: "no more than …".
        let meaning: String
        let patterns: [Pattern]
    }

    /// The largest number of patterns of a monitor. The kernel takes 16 (HCI_MAX_ADV_MONITOR_NUM_PATTERNS), but bluetoothd has one
    /// byte for the length of its command (`merged_pattern_send_add_pattern`), 1 + 34 for each pattern: with eight patterns it
    /// writes beyond its buffer, and may crash. 5.66 and 5.82 do.
    static let capacity = 7

    /// The monitors, the most important ones first: a controller that compares patterns itself may have no place for all.
    static let monitors =
        [
            Monitor(
                meaning: "usual flags (0x02, 0x04 to 0x06, 0x18, 0x1A or 0x1B)", patterns: usualFlags.map(flags)),
            Monitor(
                meaning:
                    "service data of a UUID 18xx or FBxx to FExx, an AltBeacon frame, or manufacturer data of a company "
                    + "0x00xx",
                patterns: [0xFE, 0xFD, 0xFC, 0xFB, 0x18].map(serviceData)
                    + [Pattern(0xFF, at: 2, [0xBE, 0xAC]), company(0x00)]),
            Monitor(
                meaning: "manufacturer data of a company 0x01xx to 0x07xx",
                patterns: (0x01...0x07).map { company(UInt8($0)) }),
            Monitor(
                meaning: "manufacturer data of a company 0x08xx to 0x0Exx",
                patterns: (0x08...0x0E).map { company(UInt8($0)) }),
            Monitor(
                meaning: "manufacturer data of another company, or service data of another 16-bit UUID",
                patterns: [0x0F, 0x10, 0x11, 0xFF].map(company) + [0x19, 0x1A, 0xFF].map(serviceData)),
        ]
        + stride(from: 0, to: others.count, by: capacity).map { start in
            Monitor(
                meaning: "other flags, a Govee, ThermoPro or Inkbird sensor, or, under BlueZ 5.71 or newer, a frame of "
                    + "Eddystone, BTHome or a sensor",
                patterns: Array(others[start...].prefix(capacity)))
        }

    /// The values of which most devices have one: LE-only or both, discoverable or not.
    private static let usualFlags: [UInt8] = [0x06, 0x1A, 0x04, 0x02, 0x05, 0x1B, 0x18]
    /// The first bytes of the frames of Eddystone, BTHome, KBeacon, SwitchBot and Minew.
    private static let frames: [UInt8] = [0x00, 0x10, 0x20, 0x30, 0x40, 0x41, 0x44, 0x45, 0x21, 0x54, 0xA1]
    /// Sensors whose frames vary at their beginning: the company of Govee H5072 and H5075; a constant of ThermoPro and of Inkbird,
    /// which have values where the company identifier belongs; the addresses of Xiaomi in those of ATC1441 and pvvx; the version
    /// and the authentication of MiBeacon.
    private static let sensors =
        [
            company(0xEC), Pattern(0xFF, [0xC2]), Pattern(0xFF, at: 8, [0x08]), Pattern(0x16, [0xA4, 0xC1, 0x38]),
            Pattern(0x16, at: 3, [0x38, 0xC1, 0xA4]),
        ] + ([0x20, 0x30, 0x40, 0x48, 0x50, 0x55, 0x58] as [UInt8]).map { Pattern(0x16, at: 1, [$0]) }
    private static let others =
        frames.map(frame) + sensors + (0x00...0x1F).map { UInt8($0) }.filter { !usualFlags.contains($0) }.map(flags)

    /// Advertisements with these flags.
    private static func flags(_ value: UInt8) -> Pattern { Pattern(0x01, [value]) }

    /// Manufacturer data of the companies with this most significant byte.
    private static func company(_ byte: UInt8) -> Pattern { Pattern(0xFF, at: 1, [byte]) }

    /// Service data of the 16-bit UUIDs with this most significant byte.
    private static func serviceData(_ byte: UInt8) -> Pattern { Pattern(0x16, at: 1, [byte]) }

    /// Service data whose first byte after the UUID is this, where bluetoothd compares them without it.
    private static func frame(_ byte: UInt8) -> Pattern { Pattern(0x16, [byte]) }
}
