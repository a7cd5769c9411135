// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import Bluetooth

/// A beacon as a packet describes it.
package struct ReceivedBeacon: Hashable, Sendable {
    /// Which beacon it is.
    package let identity: BeaconIdentity
    /// The RSSI at 1 m that it claims; `nil` if it claims none.
    package let measuredPower: MeasuredPower?

    package init(identity: BeaconIdentity, measuredPower: MeasuredPower?) {
        self.identity = identity
        self.measuredPower = measuredPower
    }

    /// The beacon of a frame; `nil` if the frame does not say which beacon it is of.
    package init?(_ frame: BeaconFrame) {
        guard let identity = frame.identity else { return nil }
        self.init(identity: identity, measuredPower: frame.measuredPower)
    }

    /// The beacon of an iBeacon frame.
    package init(_ frame: IBeacon) {
        self.init(identity: BeaconIdentity(frame), measuredPower: frame.measuredPower)
    }
}

extension BeaconIdentity {
    /// The identity of an iBeacon.
    package init(_ beacon: IBeacon) {
        self.init(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor)
    }

    /// The identity of the iBeacon with these numbers.
    package init(uuid: UUID128, major: UInt16, minor: UInt16) {
        self.init(format: IBeacon.formatName, .numbers(uuid, major: major, minor: minor))
    }

    /// UUID, major and minor; `nil` for a format that has none.
    package var numbers: (uuid: UUID128, major: UInt16, minor: UInt16)? {
        if case .numbers(let uuid, let major, let minor) = identifiers { (uuid, major, minor) } else { nil }
    }
}

/// The identifiers of a beacon or of a region as members of a JSON record.
package struct IdentifierRecord: Codable, Hashable, Sendable {
    /// The proximity UUID; of AltBeacon the first 16 bytes of the identifier.
    package var uuid: String?
    /// The major number; of AltBeacon the next two bytes.
    package var major: UInt16?
    /// The minor number; of AltBeacon the last two bytes.
    package var minor: UInt16?
    /// The namespace of Eddystone-UID, in hexadecimal digits.
    package var namespace: String?
    /// The instance of Eddystone-UID, in hexadecimal digits.
    package var instance: String?
    /// The address of Eddystone-URL, or the digits of Eddystone-EID.
    package var identity: String?

    /// The identifiers of a beacon.
    package init(_ identity: BeaconIdentity) {
        switch identity.identifiers {
        case .numbers(let uuid, let major, let minor):
            (self.uuid, self.major, self.minor) = (uuid.description, major, minor)
        case .namespace(let namespace, let instance):
            (self.namespace, self.instance) = (Hexadecimal.string(namespace), Hexadecimal.string(instance))
        case .text(let text): self.identity = text
        }
    }

    /// The identifiers of a region.
    package init(_ identifiers: BeaconRegion.Identifiers) {
        switch identifiers {
        case .numbers(let uuid, let major, let minor):
            (self.uuid, self.major, self.minor) = (uuid.description, major, minor)
        case .namespace(let namespace, let instance):
            (self.namespace, self.instance) = (Hexadecimal.string(namespace), instance.map(Hexadecimal.string))
        }
    }

    /// The identity of a beacon of this format; `nil` if they are invalid.
    package func beacon(format: String) -> BeaconIdentity? {
        if let identity { return BeaconIdentity(format: format, .text(identity)) }
        switch region {
        case .numbers(let uuid, let major?, let minor?)?:
            return BeaconIdentity(format: format, .numbers(uuid, major: major, minor: minor))
        case .namespace(let namespace, let instance?)?:
            return BeaconIdentity(format: format, .namespace(namespace, instance: instance))
        default: return nil
        }
    }

    /// The identifiers of a region; `nil` if they are invalid.
    package var region: BeaconRegion.Identifiers? {
        if let namespace {
            guard let bytes = try? Hexadecimal.bytes(namespace), bytes.count == 10 else { return nil }
            let digits = instance.map { try? Hexadecimal.bytes($0) }
            if let digits, digits?.count != 6 { return nil }
            return .namespace(bytes, instance: digits ?? nil)
        }
        return uuid.flatMap { UUID128($0) }.map { .numbers($0, major: major, minor: minor) }
    }
}

extension Sighting {
    /// The iBeacon frames in the data, even if not all of it is well-formed.
    public var beacons: [IBeacon] {
        AdvertisingData.prefix(of: data).data.structures.compactMap(IBeacon.init)
    }
}
