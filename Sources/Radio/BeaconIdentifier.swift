// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A beacon's name within one run: the `id` of its profile entry, or `PROFILE/ID` where two profiles share one; or the
/// name of a central whose bonds are kept.
public struct BeaconIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// A beacon of this name.
    public init(_ name: String) { self.name = name }
    /// The name.
    public var description: String { name }

    public static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
