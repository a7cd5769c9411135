// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Identifies an advertising set of a host (Core 5.4, Vol 4, Part E, 7.8.53).
///
/// On a legacy controller, the sets share its only advertiser.
package struct AdvertisingSetIdentifier: Hashable, Sendable {
    /// The range of the numbers.
    package static let range: ClosedRange<UInt8> = 0...0xEF

    /// The number; the Advertising_Handle where the controller has sets.
    package let rawValue: UInt8

    /// The set with this number; `nil` above 0xEF.
    package init?(_ rawValue: UInt8) {
        guard Self.range.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

extension AdvertisingSetIdentifier: CustomStringConvertible {
    /// `set 3`
    package var description: String { "set \(rawValue)" }
}
