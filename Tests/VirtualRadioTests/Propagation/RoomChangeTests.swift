// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Space
import Testing

/// When something that moves enters and leaves rooms.
@Suite
struct RoomChangeTests {
    private static func rectangle(_ id: String, _ x: ClosedRange<Double>, floor: String = "ground") -> Room {
        Room(
            id: id, floor: floor,
            outline: [
                Position(x: x.lowerBound, y: 0), Position(x: x.upperBound, y: 0), Position(x: x.upperBound, y: 3),
                Position(x: x.lowerBound, y: 3),
            ])
    }

    private static let building = Building(
        floors: [Floor(id: "ground", height: 0), Floor(id: "upper", height: 2.5)],
        rooms: [
            rectangle("west", 0...4), rectangle("east", 4...8), rectangle("attic", 0...8, floor: "upper"),
        ])

    private static func path(_ places: (Double, Double, Double)..., repeats: Bool = false) throws -> Motion {
        let places = places.map { Position(x: $0, y: $1, z: $2) }
        return .path(try #require(Motion.Path(through: places, speed: 1, repeats: repeats)))
    }

    /// All changes up to a time: the times, rounded to milliseconds, and the rooms.
    private static func changes(_ motion: Motion, from start: Double = 0, until end: Double) -> [String] {
        var room = building.room(at: motion.position(atSeconds: start))?.id
        var (time, changes) = (start, [String]())
        for _ in 0..<100 {
            switch building.nextChange(of: motion, after: time, in: room) {
            case .never: return changes + ["never"]
            case .notBefore(let next):
                #expect(next > time)
                time = next
            case .at(let next, let into):
                #expect(next >= time)
                #expect(into != room)
                guard next <= end else { return changes }
                (time, room) = (next, into)
                changes.append("\((next * 1000).rounded() / 1000) \(into ?? "none")")
            }
        }
        return changes
    }

    @Test
    func straightPathChangesAtTheWalls() throws {
        let path = try Self.path((-1, 1, 1), (9, 1, 1))
        #expect(Self.changes(path, until: 100) == ["1.0 west", "5.0 east", "9.0 none", "never"])
        #expect(Self.changes(path, from: 5.5, until: 100) == ["9.0 none", "never"])
        #expect(
            Self.changes(try Self.path((9, 1, 1), (-1, 1, 1)), until: 100) == [
                "1.0 east", "5.0 west", "9.0 none", "never",
            ])
    }

    @Test
    func stairsChangeTheFloor() throws {
        let path = try Self.path((1, 1, 1), (1, 1, 4))
        #expect(Self.changes(path, until: 100) == ["1.5 attic", "never"])
    }

    @Test
    func pathThatRepeatsChangesInEachRound() throws {
        // 4 m there and 4 m back.
        let path = try Self.path((2, 1, 1), (6, 1, 1), repeats: true)
        #expect(Self.changes(path, until: 15) == ["2.0 east", "6.0 west", "10.0 east", "14.0 west"])
        #expect(Self.changes(path, from: 801, until: 807) == ["802.0 east", "806.0 west"])
    }

    @Test
    func pathAlongAWallAndAPauseOnItChangeNothing() throws {
        #expect(Self.changes(.rest(Position(x: 1, y: 1)), until: 9) == ["never"])
        #expect(Self.changes(try Self.path((1, 1, 1), (3, 1, 1), repeats: true), until: 9) == ["never"])
        #expect(Self.changes(try Self.path((1, 1, 1), (3, 1, 1), (3, 2, 1)), until: 9) == ["never"])
    }

    @Test
    func jumpIsAChangeAtItsTime() throws {
        let points = [(0.0, 1.0), (3, 1), (3, 6), (5, 6)].map { Motion.Path.Point($0, Position(x: $1, y: 1, z: 1)) }
        let path = Motion.path(try #require(Motion.Path(points, repeats: true)))
        #expect(Self.changes(path, until: 9) == ["3.0 east", "5.0 west", "8.0 east"])
    }

    @Test(arguments: [1.0, -1])
    func circleChangesWhereItCrossesAWall(sign: Double) throws {
        // On the shared wall at 90 and at 270 degrees: of 36 s, at 9 and at 27 s.
        let orbit = try #require(
            Motion.Orbit(centre: Position(x: 4, y: 1.5, z: 1), radius: sign, period: .seconds(36)))
        let rooms = sign > 0 ? ["9.0 west", "27.0 east", "45.0 west"] : ["9.0 east", "27.0 west", "45.0 east"]
        #expect(Self.changes(.orbit(orbit), until: 50) == rooms)
        #expect(Self.changes(.orbit(orbit), from: 360, until: 380) == ["\(369.0) \(sign > 0 ? "west" : "east")"])
    }

    @Test
    func longPathIsSearchedInParts() throws {
        let points = (0...5000).map { Motion.Path.Point(Double($0), Position(x: 1 + Double($0 % 2), y: 1, z: 1)) }
        let end = [Motion.Path.Point(5005, Position(x: 7, y: 1, z: 1))]
        let path = Motion.path(try #require(Motion.Path(points + end)))
        let first = Self.building.nextChange(of: path, after: 0, in: "west")
        #expect(first == .notBefore(500))
        // From x = 1 to x = 7 in 5 s.
        #expect(Self.changes(path, until: 6000) == ["5002.5 east", "never"])
    }
}
