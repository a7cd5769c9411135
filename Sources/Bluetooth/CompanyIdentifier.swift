// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The company that defines manufacturer-specific data (Assigned Numbers, 7.1).
public struct CompanyIdentifier: Hashable, Sendable {
    /// The assigned number; little-endian on the wire.
    public let rawValue: UInt16

    /// A company identifier with any number, assigned or not.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// Apple, Inc., which defines iBeacon.
    public static let apple = CompanyIdentifier(0x004C)
}
