// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio

/// The devices that a receiver received lately, each with its last packet.
struct RecentAdvertisers {
    /// A device.
    struct Advertiser {
        /// Its last packet.
        var last: Sighting
        /// When that was received, on the clock of the run.
        var time: Duration
        /// The same, since the Unix epoch.
        var date: Duration
        /// The number of its packets.
        var packets = 1

        fileprivate mutating func receive(_ sighting: Sighting, at time: Duration, _ date: Duration) {
            (last, self.time, self.date) = (sighting, time, date)
            packets += 1
        }
    }

    /// The number of devices that are remembered.
    static let limit = 1024
    private static let age = Duration.seconds(5)

    private var advertisers: [RemoteAddress: Advertiser] = [:]

    /// The devices, in no order.
    var all: some Collection<Advertiser> { advertisers.values }

    /// Remembers a packet.
    mutating func receive(_ sighting: Sighting, at time: Duration, _ date: Duration) {
        if let place = advertisers.index(forKey: sighting.device) {
            advertisers.values[place].receive(sighting, at: time, date)
        } else {
            if advertisers.count >= Self.limit { forget(at: time) }
            advertisers[sighting.device] = Advertiser(last: sighting, time: time, date: date)
        }
    }

    /// Forgets the devices whose last packet was received 5 s ago or earlier.
    mutating func forget(at now: Duration) {
        advertisers = advertisers.filter { now - $0.value.time < Self.age }
        // All are recent: the air has more devices than are remembered.
        if advertisers.count >= Self.limit { advertisers.removeAll() }
    }

    /// An address with the type that it had in the last packet from it; `nil` if none was received lately.
    func device(with address: BluetoothAddress) -> RemoteAddress? {
        [true, false].map { RemoteAddress(address, isRandom: $0) }.filter { advertisers[$0] != nil }
            .max { advertisers[$0].map(\.time) ?? .zero < advertisers[$1].map(\.time) ?? .zero }
    }
}
