// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// One connection of a host. A number is never used again, unlike the controller's connection handles.
package struct ConnectionIdentifier: Hashable, Sendable {
    /// The number, counted from 1 since the host was made.
    package let rawValue: UInt32
}

extension ConnectionIdentifier: CustomStringConvertible {
    /// `connection 3`
    package var description: String { "connection \(rawValue)" }
}
