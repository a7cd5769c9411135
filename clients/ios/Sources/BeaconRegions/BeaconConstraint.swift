// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The beacons that an app is interested in: those of a UUID, or of these with a major, or a major and a minor.
public struct BeaconConstraint: Hashable, Sendable, Codable {
    /// The UUID of the beacons.
    public var uuid: UUID
    /// Their major; `nil` for any.
    public var major: UInt16?
    /// Their minor; `nil` for any.
    public var minor: UInt16?

    /// The beacons with these numbers.
    public init(uuid: UUID, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Whether a beacon with these numbers is one of them.
    public func matches(uuid: UUID, major: UInt16, minor: UInt16) -> Bool {
        self.uuid == uuid && (self.major ?? major) == major && (self.minor ?? minor) == minor
    }
}
