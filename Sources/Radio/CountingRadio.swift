// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A radio that counts what its controllers do.
package protocol CountingRadio: PeripheralRadio {
    /// What has happened since the radio was opened; `nil` where a controller does not report it.
    func counts() async -> RadioCounts?
}

/// What has happened on an emulated air so far.
package struct RadioCounts: Hashable, Sendable {
    /// The number of advertising events.
    package let advertisingEvents: UInt64
    /// The number of advertising events of what is on the air now, by name.
    package let advertisingEventsByName: [String: UInt64]
    /// How late the advertising events were, by the clock of the air.
    package let delays: DurationHistogram
    /// The number of advertising reports that were queued for hosts.
    package let reportsQueued: UInt64
    /// The number of these reports that were dropped, because a host did not read them.
    package let reportsDropped: UInt64

    /// Counts of these values.
    package init(
        advertisingEvents: UInt64, advertisingEventsByName: [String: UInt64], delays: DurationHistogram,
        reportsQueued: UInt64, reportsDropped: UInt64
    ) {
        self.advertisingEvents = advertisingEvents
        self.advertisingEventsByName = advertisingEventsByName
        self.delays = delays
        self.reportsQueued = reportsQueued
        self.reportsDropped = reportsDropped
    }
}
