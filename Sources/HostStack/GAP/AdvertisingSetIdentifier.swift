// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// One beacon of a host: what extended controllers know as an advertising set (Core 5.4, Vol 4, Part E, 7.8.53).
package struct AdvertisingSetIdentifier: Hashable, Sendable {
    /// The numbers that a controller takes for a set.
    package static let range: ClosedRange<UInt8> = 0...0xEF

    /// The set's number, which is its Advertising_Handle where the controller has sets.
    package let rawValue: UInt8

    /// The set of this number; `nil` above 0xEF.
    package init?(_ rawValue: UInt8) {
        guard Self.range.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

extension AdvertisingSetIdentifier: CustomStringConvertible {
    /// `set 3`
    package var description: String { "set \(rawValue)" }
}
