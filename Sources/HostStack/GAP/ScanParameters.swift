// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// How to scan (Core 5.4, Vol 4, Part E, 7.8.10 and 7.8.64).
package struct ScanParameters: Hashable, Sendable {
    /// Whether to send scan requests, so that scan responses are heard too.
    package var isActive: Bool
    /// The time from one scan window to the next: 2.5 ms to 10.24 s.
    package var interval: AdvertisingInterval
    /// How long of each interval it listens; at most the interval.
    package var window: AdvertisingInterval
    /// Whether the controller gives each advertiser once only.
    package var filtersDuplicates: Bool

    /// Scanning without a pause, 100 ms a channel, unless said otherwise.
    package init(
        isActive: Bool = true, interval: AdvertisingInterval = AdvertisingInterval(160),
        window: AdvertisingInterval = AdvertisingInterval(160), filtersDuplicates: Bool = false
    ) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
    }

    /// Whether a controller takes them.
    package var isValid: Bool {
        let range = AdvertisingInterval(0x0004)...AdvertisingInterval(0x4000)
        return range.contains(interval) && range.contains(window) && window <= interval
    }
}
