// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Receiving

extension BeaconExpectation {
    /// Takes what happened. A scan response without a beacon in it is no advertisement.
    /// - Returns: how it ended, if it did now.
    public mutating func take(_ reception: Reception) -> Verdict? {
        guard case .heard(let sighting, let time) = reception else { return advance(to: reception.time) }
        let beacons = sighting.beacons
        if beacons.isEmpty {
            let isScanResponse = sighting.pdu == .scanResponse || sighting.pdu == .extendedScanResponse
            return isScanResponse ? advance(to: time) : hear(nil, rssi: sighting.rssi, at: time)
        }
        for beacon in beacons {
            if let verdict = hear(beacon, rssi: sighting.rssi, at: time) { return verdict }
        }
        return nil
    }
}
