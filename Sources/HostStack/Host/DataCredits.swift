// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The controller's buffers for data, which all connections share (Core 5.4, Vol 4, Part E, 4.1.1).
struct DataCredits: Sendable {
    /// How many packets the controller holds in all.
    let total: Int
    /// How many more it takes now.
    private(set) var available: Int
    /// Who sent last: the next in order is first.
    var lastSender: ConnectionIdentifier?

    init(packets: Int = 0) {
        total = packets
        available = packets
    }

    mutating func spend() { available -= 1 }

    mutating func give(back count: Int) { available = min(available + count, total) }
}
