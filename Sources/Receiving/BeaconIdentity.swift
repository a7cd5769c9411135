// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import Bluetooth

/// The numbers that identify an iBeacon. Receivers cannot distinguish beacons with the same numbers.
package struct BeaconIdentity: Hashable, Sendable {
    /// The proximity UUID.
    package let uuid: UUID128
    /// The major number, 0 to 65535.
    package let major: UInt16
    /// The minor number, 0 to 65535.
    package let minor: UInt16

    /// These numbers.
    package init(uuid: UUID128, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// A beacon's numbers.
    package init(_ beacon: IBeacon) {
        self.init(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor)
    }
}

extension BeaconIdentity: Comparable {
    /// By UUID, major and minor number.
    package static func < (left: BeaconIdentity, right: BeaconIdentity) -> Bool {
        (left.uuid.high, left.uuid.low, left.major, left.minor)
            < (right.uuid.high, right.uuid.low, right.major, right.minor)
    }
}

extension BeaconIdentity: CustomStringConvertible {
    /// `E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 major 1 minor 2`
    package var description: String { "\(uuid) major \(major) minor \(minor)" }
}

extension Sighting {
    /// The iBeacon frames in the data, even if not all of it is well-formed.
    public var beacons: [IBeacon] {
        var reader = ByteReader(data)
        return AdvertisingData.parsePrefix(of: &reader).0.structures.compactMap(IBeacon.init)
    }
}
