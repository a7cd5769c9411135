// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The name of something that is under way, by which its answer is given.
package struct ATTToken: Hashable, Sendable {
    /// A number, unique on one bearer.
    package let rawValue: UInt64
    /// The token of this number.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}
