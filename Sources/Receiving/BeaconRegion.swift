// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The beacons of a proximity UUID, of one major number of it, or of one major and minor number.
package struct BeaconRegion: Hashable, Sendable {
    /// Its name; a region replaces another one of the same name.
    package var identifier: String
    /// The proximity UUID.
    package var uuid: UUID128
    /// The major number; `nil` for any.
    package var major: UInt16?
    /// The minor number; `nil` for any.
    package var minor: UInt16?

    /// The beacons of these numbers.
    package init(identifier: String, uuid: UUID128, major: UInt16? = nil, minor: UInt16? = nil) {
        self.identifier = identifier
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Whether a beacon belongs to it.
    package func contains(_ beacon: IBeacon) -> Bool { contains(BeaconIdentity(beacon)) }

    /// Whether a beacon of these numbers belongs to it.
    package func contains(_ beacon: BeaconIdentity) -> Bool {
        beacon.uuid == uuid && major ?? beacon.major == beacon.major && minor ?? beacon.minor == beacon.minor
    }
}

/// The iBeacons that a receiver counts.
package enum BeaconFilter: Hashable, Sendable {
    /// The iBeacons in any of these regions.
    case regions([BeaconRegion])
    /// The iBeacons of every proximity UUID with these numbers; `nil` for any number.
    case anyUUID(major: UInt16?, minor: UInt16?)

    /// Whether a beacon counts.
    package func contains(_ beacon: IBeacon) -> Bool {
        switch self {
        case .regions(let regions): regions.contains { $0.contains(beacon) }
        case .anyUUID(let major, let minor):
            major ?? beacon.major == beacon.major && minor ?? beacon.minor == beacon.minor
        }
    }
}
