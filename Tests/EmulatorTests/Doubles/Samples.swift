// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles

/// Profiles and values that many tests use.
enum Samples {
    /// A configurable beacon and a plain one.
    static let museum = """
        profile: museum
        beacons:
          - id: entrance
            device: iot-design-shop
            ibeacon: { major: 2, minor: 3 }
          - id: exit
            device: ibeacon
            ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 2, minor: 4 }
        """

    /// The configurable beacon alone.
    static let entrance = """
        profile: museum
        beacons:
          - id: entrance
            device: iot-design-shop
            ibeacon: { major: 2, minor: 3 }
        """

    /// The definition of the configurable beacon.
    static func entranceProfile() throws -> BeaconDefinition {
        try Profile(parsing: entrance, file: "museum.yaml").beacons[0]
    }

    /// Major and minor in the format of the characteristic.
    static func majorMinor(_ major: UInt16, _ minor: UInt16) -> [UInt8] {
        [UInt8(major & 0xFF), UInt8(major >> 8), UInt8(minor & 0xFF), UInt8(minor >> 8)]
    }

    /// Settings that differ from one another and from the profile's.
    static func image(major: UInt16) -> FlashImage {
        IoTDesignShopSettings(major: major, minor: 7, powerCode: 1, intervalTicks: 320).flash
    }
}
