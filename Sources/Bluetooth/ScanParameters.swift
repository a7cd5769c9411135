// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The parameters of a scan (Core 5.4, Vol 4, Part E, 7.8.10 and 7.8.64).
public struct ScanParameters: Hashable, Sendable {
    /// Whether to send scan requests, so that scan responses are received too.
    public var isActive: Bool
    /// The time from one scan window to the next: 2.5 ms to 10.24 s.
    public var interval: AdvertisingInterval
    /// The receiving time within each interval; at most the interval.
    public var window: AdvertisingInterval
    /// Whether the radio may report each advertiser only once.
    public var filtersDuplicates: Bool

    /// Scan parameters, valid or not; by default continuous active scanning, 100 ms on each channel.
    public init(
        isActive: Bool = true, interval: AdvertisingInterval = AdvertisingInterval(160),
        window: AdvertisingInterval = AdvertisingInterval(160), filtersDuplicates: Bool = false
    ) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
    }

    /// Whether interval and window are in the range that controllers accept.
    public var isValid: Bool {
        let range = AdvertisingInterval(0x0004)...AdvertisingInterval(0x4000)
        return range.contains(interval) && range.contains(window) && window <= interval
    }
}
