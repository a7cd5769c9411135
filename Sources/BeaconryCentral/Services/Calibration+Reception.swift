// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Receiving

extension Calibration {
    /// Takes what happened.
    /// - Returns: how it ended, if it did.
    public mutating func take(_ reception: Reception) -> Outcome? {
        if let outcome = advance(to: reception.time) { return outcome }
        guard case .heard(let sighting, let time) = reception else { return nil }
        for beacon in sighting.beacons {
            if let outcome = hear(beacon, rssi: sighting.rssi, at: time) { return outcome }
        }
        return nil
    }
}
