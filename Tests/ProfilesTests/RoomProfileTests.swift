// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Profiles
import Space
import Testing

@Suite struct RoomProfileTests {
    private static let beacons = "beacons:\n  - { id: a, device: iot-design-shop }\n"
    private static let house = """
        floors:
          - { id: upper, from: 2.6m, slab: { material: concrete } }
          - { id: ground, from: -0.5, slab: { loss: 3.5dB } }
        rooms:
          - id: kitchen
            label: "Küche: unten"
            floor: ground
            outline: [[0, 0], [4, 0], [4, 3.25], [0, 3.25]]
            walls: brick
            doors: [{ at: [4, 1], width: 0.9m }, { at: [1, 0], width: 1 }]
          - { id: a, floor: upper, outline: [[0, 0], [4, 0], [0, -3]], walls: 7.5dB }
          - { id: area, floor: upper, outline: [[0, 0], [4, 0], [4, 3]] }
        """

    private static func profile(_ keys: String) throws -> Profile {
        try Profile(parsing: "profile: p\n\(keys)\n\(beacons)", file: "p.yaml")
    }

    private static func corners(_ places: (Double, Double)...) -> [Position] {
        places.map { Position(x: $0, y: $1) }
    }

    @Test func roomsAndFloorsAreReadAndWritten() throws {
        let profile = try Self.profile(Self.house)
        let building = Building(
            floors: [
                Floor(id: "ground", height: -0.5, slabLoss: 3.5), Floor(id: "upper", height: 2.6, slabLoss: 13.5),
            ],
            rooms: [
                Room(
                    id: "kitchen", label: "Küche: unten", floor: "ground",
                    outline: Self.corners((0, 0), (4, 0), (4, 3.25), (0, 3.25)), wallLoss: 8,
                    doors: [
                        Room.Door(at: Position(x: 4, y: 1), width: 0.9), Room.Door(at: Position(x: 1, y: 0), width: 1),
                    ]),
                Room(id: "a", floor: "upper", outline: Self.corners((0, 0), (4, 0), (0, -3)), wallLoss: 7.5),
                Room(id: "area", floor: "upper", outline: Self.corners((0, 0), (4, 0), (4, 3))),
            ])
        #expect(profile.surroundings.building == building)
        let copy = try Profile(parsing: ProfileWriter.text(of: profile), file: "copy.yaml")
        #expect(copy.surroundings.building == building)
        #expect(try Self.profile("").surroundings.building == nil)
        #expect(try Self.profile("floors: [{ id: ground, from: 0m }]").surroundings.building?.rooms == [])
    }

    @Test(arguments: Material.allCases)
    func wallsAndRoomsHaveTheLossOfAMaterial(material: Material) throws {
        let name = material.rawValue
        let profile = try Self.profile(
            """
            walls: [{ from: [9, 0], to: [9, 3], material: \(name) }]
            floors: [{ id: ground, from: 0m, slab: { material: \(name) } }]
            rooms: [{ id: a, floor: ground, outline: [[0, 0], [4, 0], [4, 3]], walls: \(name) }]
            """)
        #expect(material.loss > 0)
        #expect(profile.surroundings.walls.map(\.loss) == [material.loss])
        #expect(profile.surroundings.building?.rooms.map(\.wallLoss) == [material.loss])
        #expect(profile.surroundings.building?.floors.map(\.slabLoss) == [material.loss])
        let copy = try Profile(parsing: ProfileWriter.text(of: profile), file: "copy.yaml")
        #expect(copy.surroundings == profile.surroundings)
    }

    /// Rooms are walls: between them there is the exponent of the open space.
    @Test func airHasTheWallsOfTheRooms() throws {
        let profile = try Self.profile("physics: home\nwalls: [{ from: [9, 0], to: [9, 3], loss: 5dB }]\n" + Self.house)
        let model = Propagation(for: [profile, try Self.profile("")])
        let building = try #require(profile.surroundings.building)
        #expect(model.walls.first == profile.surroundings.walls.first)
        #expect(Array(model.walls.dropFirst()) == building.walls)
        #expect(model.slabs.map(\.height) == [-0.5, 2.6])
        #expect(model.pathExponent == 1.4)
        #expect(model.withoutObstacles == Propagation.environments[3].propagation)
        let areas =
            "physics: home\nfloors: [{ id: g, from: 0m }]\nrooms: [{ id: a, floor: g, outline: [[0, 0], [4, 0], [4, 3]] }]"
        #expect(Propagation(for: [try Self.profile(areas)]) == Propagation.environments[3].propagation)
    }

    // MARK: - Scenarios

    private static func scenario(_ keys: String, over profile: String? = house) throws -> Scenario {
        let text =
            "scenario: s\n\(profile == nil ? beacons : "profile: p.yaml\n")\(keys)\nexpect: [{ receiver: r, sees: a, by: 1s }]\n"
            + "receivers: [{ id: r }]\n"
        return try Scenario(parsing: text, file: "s.yaml") { _ throws(ProfileFaults) in
            do {
                return try Self.profile(profile ?? "")
            } catch let faults as ProfileFaults {
                throw faults
            } catch {
                fatalError("\(error)")
            }
        }
    }

    @Test func scenarioAddsRoomsToThoseOfItsProfile() throws {
        let added =
            "floors: [{ id: roof, from: 5m }]\nrooms: [{ id: attic, floor: roof, outline: [[0, 0], [4, 0], [4, 3]] }, "
            + "{ id: bath, floor: upper, outline: [[4, 3], [8, 3], [8, 6]] }]"
        let building = try #require(try Self.scenario(added).profile.surroundings.building)
        #expect(building.floors.map(\.id) == ["ground", "upper", "roof"])
        #expect(building.rooms.map(\.id) == ["kitchen", "a", "area", "attic", "bath"])
        let own = try Self.scenario(Self.house, over: nil)
        #expect(own.profile.surroundings.building?.rooms.count == 3)
        #expect(try Self.scenario("").profile.surroundings.building?.rooms.count == 3)
    }

    @Test(arguments: [
        (
            "rooms: [{ id: kitchen, floor: upper, outline: [[9, 0], [9, 1], [8, 0]] }]",
            "the profile has a room \"kitchen\""
        ),
        ("floors: [{ id: ground, from: 9m }]", "the profile has a floor \"ground\""),
        ("floors: [{ id: other, from: 2.6m }]", "\"upper\" begins at 2.6 m already"),
        ("rooms: [{ id: b, floor: ground, outline: [[1, 1], [2, 1], [2, 2]] }]", "\"b\" and \"kitchen\" overlap at"),
        ("rooms: [{ id: b, floor: groud, outline: [[1, 1], [2, 1], [2, 2]] }]", "did you mean \"ground\"?"),
    ])
    func roomOfAScenarioFitsToThoseOfItsProfile(keys: String, message: String) {
        #expect {
            try Self.scenario(keys)
        } throws: { error in
            guard let faults = error as? ProfileFaults, faults.faults.count == 1 else { return false }
            return faults.faults[0].message.contains(message) && faults.faults[0].line > 0
        }
    }
}

extension ProfileMistake {
    private static let ground = "floors: [{ id: ground, from: 0m }]"

    private static func building(_ keys: String, _ field: String, _ message: String) -> ProfileMistake {
        ProfileMistake(
            "profile: p\n\(keys)\nbeacons:\n  - { id: a, device: iot-design-shop }\n", field: field, message)
    }

    private static func room(_ keys: String, _ field: String, _ message: String) -> ProfileMistake {
        building("\(ground)\nrooms:\n  - { id: a, floor: ground, \(keys) }", "rooms[0]\(field)", message)
    }

    private static let square = "outline: [[0, 0], [4, 0], [4, 3], [0, 3]]"
    private static let materials = "plasterboard, brick, concrete, glass, metal, wood"

    static let rooms = [
        building("floors: ¦{}", "floors", "a list of at least one floor is expected here"),
        building("floors: [¦{ from: 0m }]", "floors[0]", "\"id\" is missing; write id: ground"),
        building("floors: [¦{ id: g }]", "floors[0]", "\"from\" is missing; write from: 0m"),
        building("floors: [{ id: g, from: ¦0ft }]", "floors[0].from", "\"0ft\" is not a height from -10000m to 10000m"),
        building(
            "floors: [{ id: g, from: 0m, slab: ¦{} }]", "floors[0].slab",
            "\"loss\" is missing; write loss: 16dB, or material: brick"),
        building(
            "floors: [{ id: g, from: 0m, slab: ¦concrete }]", "floors[0].slab",
            "a mapping of keys and values is expected here"),
        building(
            "floors: [{ id: g, from: 0m, slab: { material: brick, loss: ¦8 } }]", "floors[0].slab.loss",
            "loss and material exclude each other; leave one of them out"),
        building(
            "floors: [{ id: g, from: 0m }, { id: ¦g, from: 3m }]", "floors[1].id",
            "floors[0] has the id \"g\" already; give every floor its own id"),
        building(
            "floors: [{ id: g, from: 0m }, { id: h, from: ¦0m }]", "floors[1].from",
            "\"g\" begins at 0 m already; give every floor its own height"),
        building(
            "walls: [{ from: [0, 0], to: [1, 0], material: ¦bric }]", "walls[0].material",
            "\"bric\" is not one of \(materials); did you mean \"brick\"?"),
        building(
            "walls: [{ from: [0, 0], to: [1, 0], loss: ¦3, material: brick }]", "walls[0].loss",
            "loss and material exclude each other; leave one of them out"),
        building("rooms: [¦{ id: a, \(square) }]", "rooms[0]", "\"floor\" is missing; write floor: ground"),
        building(
            "rooms: [{ id: a, floor: ¦ground, \(square) }]", "rooms[0].floor",
            "there is no floor \"ground\"; write floors: [{ id: ground, from: 0m }]"),
        building(
            "\(ground)\nrooms: [{ id: a, floor: ¦groud, \(square) }]", "rooms[0].floor",
            "there is no floor \"groud\"; did you mean \"ground\"? floors are ground"),
        building(
            "\(ground)\nrooms: [{ id: a, floor: ground, \(square) }, { id: ¦a, floor: ground, outline: [[9, 0], [9, 1], [8, 0]] }]",
            "rooms[1].id", "rooms[0] has the id \"a\" already; give every room its own id"),
        building(
            "\(ground)\nrooms: [{ id: a, floor: ground, \(square) }, { id: b, floor: ground, outline: ¦[[3, 1], [8, 1], [8, 2], [3, 2]] }]",
            "rooms[1].outline",
            "\"b\" and \"a\" overlap at [3.5, 1]; rooms of a floor may share edges, and no area"),
        building(
            "\(ground)\nrooms: [¦{ id: a, floor: ground }]", "rooms[0]",
            "\"outline\" is missing; write outline: [[0, 0], [4, 0], [4, 3], [0, 3]]"),
        room("outline: ¦5", ".outline", "a list of corners is expected here, such as [[0, 0], [4, 0], [4, 3], [0, 3]]"),
        room(
            "outline: ¦[[0, 0], [4, 0]]", ".outline",
            "an outline has at least three corners, such as [[0, 0], [4, 0], [4, 3], [0, 3]]"),
        room(
            "outline: [[0, 0], ¦[4, 0, 1], [4, 3]]", ".outline[1]", "a corner is two numbers of metres, such as [4, 0]"),
        room(
            "outline: [[0, 0], [4, ¦x], [4, 3]]", ".outline[1]", "\"x\" is not a number of metres from -10000 to 10000"),
        room(
            "outline: [[0, 0], [4, 0], [4, 3], ¦[0, 0]]", ".outline[3]",
            "the last corner is the first one again; leave it out: the outline closes by itself"),
        room(
            "outline: [[0, 0], [4, 0], ¦[4, 0], [4, 3]]", ".outline[2]",
            "this corner is the one before it again; leave it out"),
        room(
            "outline: ¦[[0, 0], [4, 0], [9, 0]]", ".outline",
            "the corners are on one line, so the room has no area; move one of them"),
        room(
            "outline: [[0, 0], [4, 3], ¦[4, 0], [0, 3]]", ".outline[2]",
            "the edge from [4, 0] to [0, 3] meets the edge from [0, 0] to [4, 3]; list the corners in the order in which one walks "
                + "along the walls"),
        room(
            "\(square), walls: ¦brik", ".walls",
            "\"brik\" is neither a material nor a loss, such as 8dB; did you mean \"brick\"? materials are \(materials)"
        ),
        room("\(square), walls: ¦-1dB", ".walls", "\"-1dB\" is not a number of decibels from 0dB to 100dB"),
        room(
            "\(square), doors: [{ at: ¦[3.5, 1], width: 0.9m }]", ".doors[0].at",
            "the door is on no wall of the room; the nearest place on one is [4, 1]"),
        room(
            "\(square), doors: [{ at: [4, 1], width: ¦3.5m }]", ".doors[0].width",
            "the door is wider than its wall, which is 3 m long"),
        room(
            "\(square), doors: [{ at: ¦[4, 0.2], width: 1m }]", ".doors[0].at",
            "the door reaches beyond the end of its wall; move its middle to 0.5 m or more from the corner, or make it narrower"
        ),
        room("\(square), doors: [¦{ width: 1m }]", ".doors[0]", "\"at\" is missing; write at: [4, 1]"),
        room("\(square), doors: [¦{ at: [4, 1] }]", ".doors[0]", "\"width\" is missing; write width: 0.9m"),
        room(
            "\(square), doors: [{ at: [4, 1], width: ¦0m }]", ".doors[0].width",
            "\"0m\" is not a width from 0.1m to 10000m"),
    ]
}
