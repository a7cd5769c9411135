// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import JSON
import Receiving
import Space

/// The first line that a command gets which estimates places: what is known of the installation.
struct EstimatorHeader: Encodable {
    /// A beacon or a receiver.
    struct End: Encodable {
        let name: String
        /// Metres on three axes; absent for the end that is to be found.
        let position: [Double]?
        /// The room of that place; absent outside of all rooms.
        let room: String?
    }

    /// A room.
    struct Place: Encodable {
        let id: String
        let floor: String
        /// The corners, in metres on two axes.
        let outline: [[Double]]
        /// Where its floor begins, in metres.
        let height: Double
    }

    let v = 1
    let receivers: [End]
    let beacons: [End]
    let rooms: [Place]
    /// How the RSSI falls with the distance: the path-loss exponent.
    let exponent: Double

    // What is not encoded.
    private let subject: String
    private let isBeacon: Bool
    /// The names of both kinds of ends, as JSON.
    private let quoted: [String: String]

    private enum CodingKeys: CodingKey {
        case v, receivers, beacons, rooms, exponent
    }

    init(_ map: AnchorMap, of subject: String, isBeacon: Bool) {
        let known = map.anchors.map {
            End(name: $0.name, position: [$0.position.x, $0.position.y, $0.position.z], room: $0.room)
        }
        let sought = [End(name: subject, position: nil, room: nil)]
        (receivers, beacons) = isBeacon ? (known, sought) : (sought, known)
        let heights = Dictionary(
            map.building.floors.map { ($0.id, $0.height) }, uniquingKeysWith: { first, _ in first })
        rooms = map.building.rooms.map {
            Place(id: $0.id, floor: $0.floor, outline: $0.outline.map { [$0.x, $0.y] }, height: heights[$0.floor] ?? 0)
        }
        exponent = map.signal.exponent
        (self.subject, self.isBeacon) = (subject, isBeacon)
        quoted = Dictionary(
            (receivers + beacons).map { ($0.name, JSONLine.encode($0.name)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The line of a reading: `{"beacon":"door","receiver":"phone","rssi":-71,"time":1.5}`, with the time in seconds since the start.
    func line(of reading: AnchorReading) -> String {
        let names = isBeacon ? (reading.anchor, subject) : (subject, reading.anchor)
        return
            "{\"beacon\":\(quoted[names.1] ?? "null"),\"receiver\":\(quoted[names.0] ?? "null"),\"rssi\":\(reading.rssi),"
            + "\"time\":\(reading.time / .seconds(1))}"
    }
}

/// The answer of a command which estimates places.
struct EstimatorAnswer {
    let estimate: PlaceEstimate

    /// Whether the place has no height.
    let isFlat: Bool

    /// Reads `{"room": "kitchen"}`, `{"position": [1, 2]}`, both, or `{}`; `until` may be repeated in it.
    /// - Parameter time: of the estimate, in seconds.
    /// - Throws: `Fault` with the reason, as a clause.
    init(_ line: [UInt8], at time: Double, among rooms: Set<String>) throws(Fault) {
        guard let members = (try? JSONValue(parsing: line))?.members else { throw Fault("is no JSON object") }
        var estimate = PlaceEstimate()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            switch (key, value) {
            case ("room", .null), ("position", .null): break
            case ("room", .text(let room)):
                guard rooms.contains(room) else { throw Fault("has a room that there is not, \"\(room)\"") }
                estimate.room = room
            case ("position", .array(let axes)):
                let numbers = axes.compactMap(\.double)
                guard numbers.count == axes.count, 2...3 ~= numbers.count, numbers.allSatisfy({ abs($0) <= 10_000 })
                else {
                    throw Fault("has a position that is not two or three numbers of metres")
                }
                estimate.position = Position(x: numbers[0], y: numbers[1], z: numbers.count == 3 ? numbers[2] : 0)
            case ("until", .number(let until)):
                guard abs(until - time) < 1e-6 else { throw Fault("is about \(until) s") }
            default: throw Fault("has a key \"\(key)\" that is not room, position or until, or no value for it")
            }
        }
        self.estimate = estimate
        isFlat = members["position"]?.elements?.count == 2
    }

    /// The estimate with the room of its place: of one without a height, the only room that it is in, seen from above.
    func located(in building: Building) -> PlaceEstimate {
        guard let place = estimate.position, estimate.room == nil else { return estimate }
        let rooms = building.rooms.filter { $0.contains(place) }
        let room = isFlat ? (rooms.count == 1 ? rooms[0] : nil) : building.room(at: place)
        return PlaceEstimate(room: room?.id, position: place)
    }

    /// What is wrong with an answer.
    struct Fault: Error {
        /// A clause with the answer as its subject.
        let text: String

        init(_ text: String) { self.text = text }
    }
}
