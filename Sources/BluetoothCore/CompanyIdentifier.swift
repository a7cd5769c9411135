// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Who defined the manufacturer-specific data that follows (Assigned Numbers, 7.1).
public struct CompanyIdentifier: Hashable, Sendable {
    /// The assigned number; little-endian on the wire.
    public let rawValue: UInt16

    /// Any number, assigned or not.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// Apple, Inc.: the company of iBeacon.
    public static let apple = CompanyIdentifier(0x004C)
}
