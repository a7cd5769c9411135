// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Space
import Testing

/// The walls of rooms, and the losses of paths through them.
@Suite
struct BuildingWallsTests {
    private static let ground = Floor(id: "ground", height: 0)

    private static func place(_ x: Double, _ y: Double, _ z: Double = 1) -> Position { Position(x: x, y: y, z: z) }

    /// A rectangle.
    private static func room(
        _ id: String, _ x: ClosedRange<Double>, _ y: ClosedRange<Double>, walls: Double, doors: [Room.Door] = [],
        floor: String = "ground", isReversed: Bool = false
    ) -> Room {
        let corners = [
            place(x.lowerBound, y.lowerBound, 0), place(x.upperBound, y.lowerBound, 0),
            place(x.upperBound, y.upperBound, 0), place(x.lowerBound, y.upperBound, 0),
        ]
        return Room(
            id: id, floor: floor, outline: isReversed ? corners.reversed() : corners, wallLoss: walls, doors: doors)
    }

    private static func loss(
        _ rooms: [Room], _ from: Position, _ to: Position, walls: [Propagation.Wall] = [],
        floors: [Floor] = [ground]
    ) -> Double {
        let building = Building(floors: floors, rooms: rooms)
        let model = Propagation(walls: building.walls(with: walls), slabs: building.slabs)
        let loss = model.obstacleLoss(from: from, to: to)
        #expect(loss == model.obstacleLoss(from: to, to: from), "a path has one loss in both directions")
        return loss
    }

    // MARK: - Edges that rooms share

    @Test(arguments: [false, true])
    func sharedEdgeIsOneWallWithTheLargerLoss(isReversed: Bool) {
        let rooms = [
            Self.room("west", 0...4, 0...3, walls: 4),
            Self.room("east", 4...8, 0...3, walls: 8, isReversed: isReversed),
        ]
        #expect(Self.loss(rooms, Self.place(2, 1), Self.place(6, 1)) == 8)
        #expect(Self.loss(rooms, Self.place(-1, 1), Self.place(9, 1)) == 4 + 8 + 8)
        #expect(
            Building(floors: [Self.ground], rooms: rooms).walls.filter { $0.from.x == 4 && $0.to.x == 4 }.count == 1)
    }

    @Test
    func partlySharedEdgeHasTheLossOfEachPart() {
        let rooms = [
            Self.room("west", 0...4, 0...6, walls: 4), Self.room("east", 4...8, 2...4, walls: 8),
        ]
        for (y, loss) in [(1.0, 4.0), (3, 8), (5, 4)] {
            #expect(Self.loss(rooms, Self.place(3, y), Self.place(5, y)) == loss, "\(y)")
        }
        // Three parts of one line, of which each point is in one.
        for y in [2.0, 4] {
            #expect([4, 8].contains(Self.loss(rooms, Self.place(3, y), Self.place(4.5, y))), "\(y)")
        }
    }

    @Test
    func cornerThatIsAFewMillimetresOffMakesNoSecondWall() {
        let rooms = [
            Self.room("west", 0...4, 0...3, walls: 8), Self.room("east", 4.004...8, 0...3, walls: 8),
        ]
        #expect(Self.loss(rooms, Self.place(2, 1), Self.place(6, 1)) == 8)
    }

    @Test
    func sharedEdgeMayBeOblique() {
        let rooms = [
            Room(
                id: "a", floor: "ground", outline: [Self.place(0, 0), Self.place(3, 1), Self.place(0, 1)], wallLoss: 5),
            Room(
                id: "b", floor: "ground", outline: [Self.place(0, 0), Self.place(3, 0), Self.place(3, 1)], wallLoss: 7),
        ]
        #expect(Self.loss(rooms, Self.place(1.5, 0.8), Self.place(1.5, 0.2)) == 7)
    }

    @Test
    func pathThroughTheCornerOfFourRoomsCrossesTwoWalls() {
        let rooms = [(0.0, 0.0), (4, 0), (0, 4), (4, 4)].map { x, y in
            Self.room("\(x) \(y)", x...x + 4, y...y + 4, walls: 5)
        }
        #expect(Self.loss(rooms, Self.place(2, 2), Self.place(6, 6)) == 10)
        #expect(Self.loss(rooms, Self.place(2, 6), Self.place(6, 2)) == 10)
    }

    @Test
    func pathAlongAnEdgeCrossesTheWallsAcrossIt() {
        let rooms = [Self.room("west", 0...4, 0...3, walls: 4), Self.room("east", 4...8, 0...3, walls: 8)]
        #expect(Self.loss(rooms, Self.place(4, 0.5), Self.place(4, 2.5)) == 0, "along the shared wall")
        #expect(Self.loss(rooms, Self.place(1, 0), Self.place(7, 0)) == 8, "on the outer wall, past the shared one")
    }

    // MARK: - Doors

    @Test(arguments: [true, false])
    func doorOfOneRoomIsAGapInTheSharedWall(isOfTheFirst: Bool) {
        let door = [Room.Door(at: Self.place(4, 1), width: 0.8)]
        let rooms = [
            Self.room("west", 0...4, 0...3, walls: 4, doors: isOfTheFirst ? door : []),
            Self.room("east", 4...8, 0...3, walls: 8, doors: isOfTheFirst ? [] : door),
        ]
        for (y, loss) in [(0.5, 8.0), (0.65, 0), (1, 0), (1.35, 0), (1.5, 8)] {
            #expect(Self.loss(rooms, Self.place(2, y), Self.place(6, y)) == loss, "\(y)")
        }
    }

    @Test
    func doorOfARoomWithoutWallsIsAGapInTheWallOfTheOther() {
        let rooms = [
            Self.room("west", 0...4, 0...3, walls: 0, doors: [Room.Door(at: Self.place(4, 1), width: 0.8)]),
            Self.room("east", 4...8, 0...3, walls: 8),
        ]
        #expect(Self.loss(rooms, Self.place(2, 1), Self.place(6, 1)) == 0)
        #expect(Self.loss(rooms, Self.place(2, 2), Self.place(6, 2)) == 8)
    }

    // MARK: - Walls of the profile

    @Test(arguments: [(10.0, 10.0), (3, 8)])
    func wallOnAnEdgeCountsOnceWithTheLargerLoss(wallLoss: Double, loss: Double) {
        let rooms = [Self.room("room", 0...4, 0...3, walls: 8, doors: [Room.Door(at: Self.place(4, 2), width: 1)])]
        let wall = Propagation.Wall(from: Self.place(4, 5), to: Self.place(4, -1), loss: wallLoss)
        #expect(Self.loss(rooms, Self.place(2, 1), Self.place(6, 1), walls: [wall]) == loss)
        #expect(Self.loss(rooms, Self.place(2, 2), Self.place(6, 2), walls: [wall]) == 0, "the door of the room")
        #expect(Self.loss(rooms, Self.place(3, 4), Self.place(6, 4), walls: [wall]) == wallLoss, "beyond the edge")
        #expect(
            Self.loss(rooms, Self.place(2, 1, -1), Self.place(6, 1, -1), walls: [wall]) == wallLoss, "below the floor")
    }

    @Test
    func wallElsewhereIsAsItWas() {
        let rooms = [Self.room("room", 0...4, 0...3, walls: 8)]
        let walls = [
            Propagation.Wall(from: Self.place(2, 0), to: Self.place(2, 3), loss: 5),
            Propagation.Wall(from: Self.place(4, 3), to: Self.place(4, 6), loss: 5),
        ]
        #expect(Building(floors: [Self.ground], rooms: rooms).walls(with: walls).prefix(2) == walls[...])
        #expect(Self.loss(rooms, Self.place(1, 1), Self.place(3, 1), walls: walls) == 5)
    }

    /// Rooms that are areas only: nothing on the air depends on them.
    @Test
    func roomsWithoutWallsChangeNothing() {
        let rooms = [Self.room("west", 0...4, 0...3, walls: 0), Self.room("east", 4...8, 0...3, walls: 0)]
        let walls = [Propagation.Wall(from: Self.place(4, 0), to: Self.place(4, 3), loss: 5)]
        let building = Building(floors: [Self.ground], rooms: rooms)
        #expect(building.walls.isEmpty)
        #expect(building.walls(with: walls) == walls)
    }

    // MARK: - Floors

    private static let house = [ground, Floor(id: "upper", height: 2.6, slabLoss: 16)]

    @Test
    func wallIsBetweenTheHeightsOfItsFloorAndTheNext() {
        let rooms = [
            Self.room("kitchen", 0...4, 0...3, walls: 8), Self.room("bedroom", 0...4, 0...3, walls: 4, floor: "upper"),
        ]
        func loss(_ z: Double) -> Double {
            Self.loss(rooms, Self.place(2, 1, z), Self.place(6, 1, z), floors: Self.house)
        }
        #expect(loss(-0.5) == 0)
        #expect(loss(0) == 8)
        #expect(loss(2.5) == 8)
        #expect(loss(2.6) == 4, "what is at the height of a floor is on it")
        #expect(loss(40) == 4)
    }

    @Test
    func pathCrossesAWallAtItsHeightThere() {
        let rooms = [Self.room("kitchen", 0...4, 0...3, walls: 8)]
        let floors = [Self.ground, Floor(id: "upper", height: 2.6)]
        // At x = 4 the first is 2 m high, the second one 3 m.
        #expect(Self.loss(rooms, Self.place(2, 1, 1), Self.place(6, 1, 3), floors: floors) == 8)
        #expect(Self.loss(rooms, Self.place(2, 1, 1), Self.place(6, 1, 5), floors: floors) == 0)
    }

    @Test(arguments: [(1.0, 2.59, 0.0), (1, 2.6, 16), (1, 4, 16), (2.6, 4, 0), (-1, 1, 0), (-1, 9, 16)])
    func slabHasItsLossOnce(from: Double, to: Double, loss: Double) {
        #expect(Self.loss([], Self.place(0, 0, from), Self.place(50, 0, to), floors: Self.house) == loss)
        // As the medium has it.
        let (low, high) = (Double(Float(from)), Double(Float(to)))
        #expect(Self.loss([], Self.place(0, 0, low), Self.place(50, 0, high), floors: Self.house) == loss)
    }

    @Test
    func slabIsAnObstacle() {
        let model = Propagation(slabs: [Propagation.Slab(height: 3, loss: 16)])
        #expect(model.hasObstacles)
        #expect(!model.hasGains)
        #expect(Propagation(slabs: [Propagation.Slab(height: 3, loss: -1)]).hasGains)
    }
}

/// Rooms of places, and outlines of rooms.
@Suite
struct BuildingTests {
    private static let square = [
        Position(x: 0, y: 0), Position(x: 4, y: 0), Position(x: 4, y: 3), Position(x: 0, y: 3),
    ]

    private static func outline(_ corners: [(Double, Double)]) -> Outline {
        Outline(corners.map { Position(x: $0, y: $1) })
    }

    private static let building = Building(
        floors: [Floor(id: "upper", height: 2.6), Floor(id: "ground", height: 0)],
        rooms: [
            Room(id: "kitchen", floor: "ground", outline: square),
            Room(id: "bedroom", floor: "upper", outline: square),
            Room(id: "bath", floor: "upper", outline: square.map { Position(x: $0.x + 4, y: $0.y) }),
        ])

    @Test(
        arguments: [
            (1.0, 1.0, 0.0, "kitchen"), (1, 1, 2.5, "kitchen"), (1, 1, 2.6, "bedroom"), (6, 1, 3, "bath"),
            (6, 1, 1, nil), (1, 1, -0.1, nil), (9, 1, 3, nil), (8, 1, 3, "bath"), (0, 0, 1, "kitchen"),
            (4, 3, 1, "kitchen"),
        ] as [(Double, Double, Double, String?)])
    func placeIsInARoomByItsCoordinates(x: Double, y: Double, z: Double, room: String?) {
        #expect(Self.building.room(at: Position(x: x, y: y, z: z))?.id == room)
    }

    @Test
    func placeOnASharedEdgeIsInOneRoom() {
        let place = Position(x: 4, y: 1, z: 3)
        #expect(Self.building.rooms.filter { $0.floor == "upper" && $0.contains(place) }.count == 1)
    }

    @Test(arguments: [(5.0, 1.0, 1.0, "kitchen", 1.0), (9, 1, 3, "bath", 1), (1, 1, -2, "kitchen", 2)])
    func nearestRoomHasItsDistance(x: Double, y: Double, z: Double, room: String, distance: Double) throws {
        let nearest = try #require(Self.building.nearestRoom(to: Position(x: x, y: y, z: z)))
        #expect(nearest.room.id == room)
        #expect(abs(nearest.distance - distance) < 1e-9)
    }

    @Test
    func floorsEndWhereTheNextBegins() {
        #expect(Self.building.heights(of: "ground") == 0..<2.6)
        #expect(Self.building.heights(of: "upper") == 2.6 ..< .infinity)
        #expect(Self.building.floor(at: Position(x: 0, y: 0, z: -1)) == nil)
    }

    // MARK: - Outlines

    static let problems: [([(Double, Double)], Outline.Problem?)] = [
        ([(0, 0), (4, 0), (4, 3), (0, 3)], nil), ([(0, 0), (0, 3), (4, 3), (4, 0)], nil),
        // An L, with a corner on a straight wall.
        ([(0, 0), (4, 0), (4, 1), (2, 1), (1, 1), (1, 3), (0, 3)], nil),
        ([], .tooFewCorners), ([(0, 0), (4, 0)], .tooFewCorners),
        ([(0, 0), (4, 0), (4, 3), (0, 0)], .repeatedCorner(3, 0)),
        ([(0, 0), (4, 0), (4, 0.001), (4, 3)], .repeatedCorner(1, 2)),
        ([(0, 0), (4, 0), (8, 0)], .noArea), ([(0, 0), (4, 0), (2, 0)], .noArea),
        ([(0, 0), (4, 3), (4, 0), (0, 3)], .crossing(0, 2)), ([(0, 0), (4, 3), (4, 0), (0, 2)], .crossing(0, 2)),
        // A spike, and a corner on another edge.
        ([(0, 0), (4, 0), (4, 3), (4, 5), (4, 3.5), (0, 3)], .crossing(2, 3)),
        ([(0, 0), (4, 0), (2, 3), (2, 0), (1, 3)], .crossing(0, 2)),
    ]

    @Test(arguments: problems)
    func outlineHasNoCrossingAndAnArea(corners: [(Double, Double)], problem: Outline.Problem?) {
        #expect(Self.outline(corners).problem == problem)
    }

    static let overlaps: [([(Double, Double)], [(Double, Double)], Bool)] = [
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(4, 0), (8, 0), (8, 3), (4, 3)], false),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(4, 1), (8, 1), (8, 2), (4, 2)], false),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(4, 3), (8, 3), (8, 6), (4, 6)], false),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(3.995, 0), (8, 0), (8, 3), (3.995, 3)], false),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(3.9, 0), (8, 0), (8, 3), (3.9, 3)], true),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(0, 0), (4, 0), (4, 3), (0, 3)], true),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(0, 3), (4, 3), (4, 0), (0, 0)], true),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(1, 1), (2, 1), (2, 2), (1, 2)], true),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], [(1, -1), (2, -1), (2, 4), (1, 4)], true),
        // The inside of an L is no part of it.
        ([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)], [(1, 1), (4, 1), (4, 3), (1, 3)], false),
    ]

    @Test(arguments: overlaps)
    func roomsThatShareAnAreaOverlap(_ first: [(Double, Double)], _ second: [(Double, Double)], overlap: Bool) throws {
        let (one, other) = (Self.outline(first), Self.outline(second))
        for (one, other) in [(one, other), (other, one)] {
            let place = one.overlap(with: other)
            #expect((place != nil) == overlap)
            if let place { #expect(one.contains(place) || one.distance(to: place) < 1e-9) }
        }
    }
}
