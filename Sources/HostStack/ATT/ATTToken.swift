// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The name of something that is under way, by which its answer is given.
public struct ATTToken: Hashable, Sendable {
    /// A number, unique on one bearer.
    public let rawValue: UInt64
    /// The token of this number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}
