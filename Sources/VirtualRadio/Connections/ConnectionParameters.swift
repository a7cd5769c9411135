// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The rhythm of a connection in the units of the wire (Core 5.4, Vol 4, Part E, 7.8.12).
struct ConnectionParameters: Hashable, Sendable {
    /// 1.25 ms each, 6 to 3200.
    var minimumInterval: UInt16
    var maximumInterval: UInt16
    /// Connection events that a peripheral may skip, 0 to 499.
    var latency: UInt16
    /// 10 ms each, 10 to 3200.
    var supervisionTimeout: UInt16

    /// Whether each is in its range, and the timeout longer than two intervals with the latency.
    var isValid: Bool {
        let events = 1 + Int(latency)
        return minimumInterval <= maximumInterval && 6...3200 ~= minimumInterval && 6...3200 ~= maximumInterval
            && latency <= 499 && 10...3200 ~= supervisionTimeout
            && Int(supervisionTimeout) * 10_000 > events * Int(maximumInterval) * 1_250 * 2
    }
}
