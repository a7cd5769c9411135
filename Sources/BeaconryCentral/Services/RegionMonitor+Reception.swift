// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Receiving

extension RegionMonitor {
    /// Takes what happened.
    /// - Returns: what changed until then, and with it.
    public mutating func take(_ reception: Reception) -> [RegionEvent] {
        var events = advance(to: reception.time)
        guard case .heard(let sighting, let time) = reception else { return events }
        for beacon in sighting.beacons { events += hear(beacon, rssi: sighting.rssi, at: time) }
        return events
    }
}
