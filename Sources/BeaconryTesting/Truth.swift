// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import RunAPI
public import Space
public import Testing

extension VirtualAir {
    /// Where a phone really is on an air.
    public struct Truth: Hashable, Sendable {
        /// The position; `nil` without one, 1 m from every beacon.
        public let position: Position?
        /// The id of its room; `nil` outside of all rooms of the profile.
        public let room: String?
        /// The distance to each beacon with a position in metres, by its id.
        public let distances: [String: Double]
        /// The id of the room of each beacon that is in one, by its id.
        public let rooms: [String: String]

        init(_ record: ReceiverTruth) {
            position = record.position.map { Position(x: $0[0], y: $0[1], z: $0[2]) }
            room = record.room
            let beacons = record.beacons
            distances = Dictionary(
                beacons.compactMap { beacon in beacon.distance.map { (beacon.id, $0) } }, uniquingKeysWith: { $1 })
            rooms = Dictionary(
                beacons.compactMap { beacon in beacon.room.map { (beacon.id, $0) } }, uniquingKeysWith: { $1 })
        }
    }

    /// Where a phone really is: its position, its room, and its distance to each beacon.
    /// - Throws: `VirtualAirError`.
    public func truth(of phone: Phone, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Truth {
        Truth(try await read("where \(phone.name) is", sourceLocation) { try await $0.truth(of: phone.name) })
    }
}
