// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Radio
import Receiving
package import Space
import Synchronization

/// Where the receivers and the beacons of a run really are, for reading beside what was received.
///
/// A virtual air knows; a run on an adapter has no such places. Reading changes nothing on the air.
package final class AirTruth: Sendable {
    private let places: AirPlaces?
    private let present = Mutex(Building())

    /// - Parameter places: the places on the air; `nil` for a radio without positions.
    package init(_ places: AirPlaces?, building: Building = Building()) {
        self.places = places
        present.withLock { $0 = building }
    }

    /// The floors and the rooms.
    package var building: Building { present.withLock(\.self) }

    func setBuilding(_ building: Building) { present.withLock { $0 = building } }

    /// The time on the air, in seconds; 0 without positions.
    var seconds: Double { places?.seconds ?? 0 }

    /// Whether there is an air with positions.
    var hasPlaces: Bool { places != nil }

    /// The name of the room of a position, in metres; `nil` outside of all rooms.
    package func room(at position: [Double]?) -> String? {
        guard hasPlaces, let position, position.count >= 2 else { return nil }
        return building.room(
            at: Position(x: position[0], y: position[1], z: position.count > 2 ? position[2] : 0))?.id
    }

    /// The beacons that do not move, for an estimator.
    func anchors(_ signal: SignalModel) -> AnchorMap {
        let beacons = places?.beacons ?? [:]
        let resting = beacons.compactMap { name, motion -> (name: String, position: Position)? in
            motion.isMoving ? nil : (name, motion.position(at: .zero))
        }
        return AnchorMap(resting.sorted { $0.name < $1.name }, in: building, signal)
    }

    private func position(of name: String, at seconds: Double?) -> Position? {
        places.flatMap { $0.position(of: name, at: seconds ?? $0.seconds) }
    }

    private func record(_ name: String, at position: Position) -> PlaceRecord {
        PlaceRecord(name: name, position: position, room: building.room(at: position)?.id)
    }

    /// Where a receiver and a beacon are, and how far from each other.
    /// - Parameters:
    ///   - beacon: `nil` for the place of the receiver alone.
    ///   - seconds: a time on the air; `nil` for the present.
    /// - Returns: `nil` if neither has a position.
    package func record(
        receiver: String? = nil, beacon: String? = nil, at seconds: Double? = nil
    ) -> TruthRecord? {
        let own = receiver.flatMap { position(of: $0, at: seconds) }
        let other = beacon.flatMap { position(of: $0, at: seconds) }
        guard own != nil || other != nil else { return nil }
        return TruthRecord(
            receiver: receiver.flatMap { name in own.map { record(name, at: $0) } },
            beacon: beacon.flatMap { name in other.map { record(name, at: $0) } },
            distance: own.flatMap { own in other.map { PlaceRecord.rounded(own.distance(to: $0)) } })
    }

    /// The truth of a beacon beside the one of a receiver: its place, and the distance.
    func record(of beacon: String, from receiver: String, at seconds: Double) -> TruthRecord? {
        guard let both = record(receiver: receiver, beacon: beacon, at: seconds), both.beacon != nil else { return nil }
        return TruthRecord(receiver: nil, beacon: both.beacon, distance: both.distance)
    }
}

/// Where a receiver or a beacon really is, as JSON.
package struct PlaceRecord: Codable, Hashable, Sendable {
    /// Its name on the air.
    package let name: String
    /// x, y, z in metres, to the millimetre.
    package let position: [Double]
    /// The name of its room; absent outside of all rooms.
    package let room: String?

    init(name: String, position: Position, room: String?) {
        self.name = name
        self.position = [position.x, position.y, position.z].map(Self.rounded)
        self.room = room
    }

    static func rounded(_ metres: Double) -> Double { (metres * 1000).rounded() / 1000 }
}

/// The truth beside what was received, as JSON.
package struct TruthRecord: Codable, Hashable, Sendable {
    /// Where the receiver is; absent if it has no position.
    package let receiver: PlaceRecord?
    /// Where the beacon is; absent if it has no position, or is not of this run.
    package let beacon: PlaceRecord?
    /// From one to the other in metres, to the millimetre; absent unless both have a position.
    package let distance: Double?
}
