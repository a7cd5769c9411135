// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio
import Space

/// Where a receiver really is, and how far from each beacon, as JSON.
package struct ReceiverTruth: Codable, Hashable, Sendable {
    /// A beacon of the run.
    package struct Beacon: Codable, Hashable, Sendable {
        package let id: String
        /// x, y, z in metres; absent if it has none.
        package let position: [Double]?
        package let room: String?
        /// In metres; absent unless both have a position.
        package let distance: Double?
    }

    /// The version of the format.
    package var v = 1
    package let receiver: String
    /// x, y, z in metres; absent for 1 m from every beacon.
    package let position: [Double]?
    /// The name of its room; absent outside of all rooms.
    package let room: String?
    /// In the order of their names.
    package let beacons: [Beacon]
}

extension Emulator {
    /// Where a receiver really is, and how far from each beacon.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func truth(of receiver: String) throws(EmulatorError) -> ReceiverTruth {
        _ = try air.positioning()
        let time = truth.seconds
        let own = truth.record(receiver: receiver, at: time)?.receiver
        let beacons = roster.beacons.map(\.identifier.name).sorted().map { name in
            let record = truth.record(receiver: receiver, beacon: name, at: time)
            return ReceiverTruth.Beacon(
                id: name, position: record?.beacon?.position, room: record?.beacon?.room, distance: record?.distance)
        }
        return ReceiverTruth(receiver: receiver, position: own?.position, room: own?.room, beacons: beacons)
    }
}
