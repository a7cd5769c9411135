// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Receiving

extension Seeking {
    /// Takes what happened.
    /// - Returns: the report that fell due, if one did.
    public mutating func take(_ reception: Reception) -> SeekingReport? {
        var report = advance(to: reception.time)
        guard case .heard(let sighting, let time) = reception else { return report }
        for beacon in sighting.beacons { report = hear(beacon, rssi: sighting.rssi, at: time) ?? report }
        return report
    }
}
