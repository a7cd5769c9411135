// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The first byte of the Flags AD type (Core Specification Supplement 11, Part A, 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Discoverable for a limited time.
    public static let limitedDiscoverable = AdvertisingFlags(rawValue: 0x01)
    /// Discoverable without limit.
    public static let generalDiscoverable = AdvertisingFlags(rawValue: 0x02)
    /// No Basic Rate: set by every LE-only device.
    public static let classicNotSupported = AdvertisingFlags(rawValue: 0x04)
    /// `0x06`: the flags that strict iBeacon receivers expect.
    public static let beacon: AdvertisingFlags = [.generalDiscoverable, .classicNotSupported]
}
