// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The beacons in packets: a packet is parsed only if it differs from the one before of its advertiser.
struct RememberedBeacons: Sendable {
    private struct Packet {
        var data: [UInt8]
        var beacons: [ReceivedBeacon]
    }

    /// The number of advertisers that are remembered; beyond it, all are forgotten.
    private static let capacity = 1024

    private let reader: FrameReader
    /// The last packets by their advertisers and kinds, as numbers.
    private var packets: [UInt64: Packet] = [:]

    /// Nothing is remembered yet.
    init(_ reader: FrameReader) { self.reader = reader }

    /// The beacons in a packet, in order.
    mutating func beacons(in sighting: Sighting) -> [ReceivedBeacon] {
        let key = sighting.device.bits | (sighting.pdu?.isScanResponse == true ? 1 << 49 : 0)
        if let place = packets.index(forKey: key) {
            if packets.values[place].data == sighting.data { return packets.values[place].beacons }
        } else if packets.count >= Self.capacity {
            packets.removeAll(keepingCapacity: true)
        }
        let beacons = reader.beacons(in: sighting)
        packets[key] = Packet(data: sighting.data, beacons: beacons)
        return beacons
    }
}
