// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The beacons whose identifiers begin alike.
package struct BeaconRegion: Hashable, Sendable {
    /// The identifiers that all beacons of a region have.
    package enum Identifiers: Hashable, Sendable {
        /// A UUID, one major number of it, or one major and minor number: of iBeacons, and of AltBeacons, whose id1, id2 and
        /// id3 these are. `nil` for any.
        case numbers(UUID128, major: UInt16?, minor: UInt16?)
        /// A namespace of Eddystone-UID, 10 bytes, or one instance of it, 6 bytes; `nil` for any.
        case namespace([UInt8], instance: [UInt8]?)

        /// All identifiers of a beacon; `nil` for a format that has no regions.
        package init?(of beacon: BeaconIdentity) {
            switch beacon.identifiers {
            case .numbers(let uuid, let major, let minor): self = .numbers(uuid, major: major, minor: minor)
            case .namespace(let namespace, let instance): self = .namespace(namespace, instance: instance)
            case .text: return nil
            }
        }
    }

    /// Its name; a region replaces another one of the same name.
    package var identifier: String
    /// The identifiers of its beacons.
    package var identifiers: Identifiers
    /// Whether the app gets the state again when the screen comes on inside the region (`notifyEntryStateOnDisplay` of
    /// `CLBeaconRegion`).
    package var notifiesOnDisplay = false

    /// The beacons with these identifiers.
    package init(identifier: String, _ identifiers: Identifiers) {
        self.identifier = identifier
        self.identifiers = identifiers
    }

    /// The beacons with these numbers.
    package init(identifier: String, uuid: UUID128, major: UInt16? = nil, minor: UInt16? = nil) {
        self.init(identifier: identifier, .numbers(uuid, major: major, minor: minor))
    }

    /// Whether a beacon belongs to it.
    package func contains(_ beacon: IBeacon) -> Bool { contains(BeaconIdentity(beacon)) }

    /// Whether a beacon of this identity belongs to it.
    package func contains(_ beacon: BeaconIdentity) -> Bool {
        switch (identifiers, beacon.identifiers) {
        case (.numbers(let uuid, let major, let minor), .numbers(let itsUUID, let itsMajor, let itsMinor)):
            uuid == itsUUID && major ?? itsMajor == itsMajor && minor ?? itsMinor == itsMinor
        case (.namespace(let namespace, let instance), .namespace(let itsNamespace, let itsInstance)):
            namespace == itsNamespace && instance ?? itsInstance == itsInstance
        default: false
        }
    }
}

/// The beacons that a receiver counts.
package enum BeaconFilter: Hashable, Sendable {
    /// The beacons in any of these regions.
    case regions([BeaconRegion])
    /// The beacons of every UUID with these numbers; without numbers, all beacons.
    case anyUUID(major: UInt16?, minor: UInt16?)

    /// Whether a beacon counts.
    package func contains(_ beacon: IBeacon) -> Bool { contains(BeaconIdentity(beacon)) }

    /// Whether a beacon of this identity counts.
    package func contains(_ beacon: BeaconIdentity) -> Bool {
        switch self {
        case .regions(let regions): regions.contains { $0.contains(beacon) }
        case .anyUUID(nil, nil): true
        case .anyUUID(let major, let minor):
            beacon.numbers.map { (major ?? $0.major, minor ?? $0.minor) == ($0.major, $0.minor) } ?? false
        }
    }
}
