// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Space
import Testing

@Suite struct PhysicsProfileTests {
    private static let beacons = "beacons:\n  - { id: a, device: iot-design-shop }\n"
    private static let office = Propagation.environments[2].propagation

    private static func home(exponent: Double, open: Double, deviation: Double = 3.7) -> Propagation {
        var model = Propagation.environments[3].propagation
        model.setExponent(exponent)
        model.openSpace = Propagation.OpenSpace(exponent: open, deviation: deviation)
        return model
    }

    private static func profile(_ keys: String) throws -> Profile {
        try Profile(parsing: "profile: p\n\(keys)\n\(beacons)", file: "p.yaml")
    }

    struct Model: Sendable {
        let text: String
        let model: Propagation?
    }

    static let models: [Model] = [
        Model(text: "", model: nil),
        Model(text: "physics: off", model: Propagation()),
        Model(text: "physics: office", model: office),
        Model(text: "physics: {}", model: Propagation()),
        Model(text: "physics: { preset: office }", model: office),
        Model(text: "physics: { exponent: 2.2 }", model: Propagation(exponent: 2.2)),
        Model(
            text: "physics: { preset: office, shadowing: off, fading: off, fast: off, sensitivity: off, capture: off, "
                + "body: off, hand: off, antenna: off, clutter: off }",
            model: Propagation(exponent: 1.6, bodyLoss: 0, handLoss: 0)),
        Model(
            text: "physics: { preset: home, exponent: 2.2 }", model: home(exponent: 2.2, open: 2.2)),
        Model(
            text: "physics: { preset: home, open-space: { exponent: 1.5, sigma: 3dB } }",
            model: home(exponent: 2.7, open: 1.5, deviation: 3)),
        Model(
            text: "physics: { exponent: 1.7, clutter: 0.3dB, antenna: 2dB, hand: 4dB }",
            model: Propagation(exponent: 1.7, clutter: 0.3, antennaDeviation: 2, handLoss: 4)),
        Model(
            text: "physics: { exponent: 2.2, shadowing: { sigma: 2.7dB, distance: 0.75m }, fading: { k: 4 }, "
                + "fast: 3dB, sensitivity: -95dBm, capture: 8dB, body: 12dB }",
            model: Propagation(
                exponent: 2.2, shadowing: .init(deviation: 2.7, distance: 0.75), directPathRatio: 4, packetDeviation: 3,
                sensitivity: -95, capture: 8, bodyLoss: 12)),
        Model(
            text:
                "physics: { interference: { channel-37: 20%, channel-38: 5, channel-39: 0, burst: 2ms, level: -60dBm } }",
            model: Propagation(interference: .init(shares: [0.2, 0.05, 0], burst: 0.002, level: -60))),
        Model(
            text: "physics: { shadowing: { sigma: 1, distance: 2 }, fast: 0.5, sensitivity: -90.5, capture: 0 dB }",
            model: Propagation(
                shadowing: .init(deviation: 1, distance: 2), packetDeviation: 0.5, sensitivity: -90.5, capture: 0)),
    ]

    @Test(arguments: models)
    func modelIsReadAndWritten(_ model: Model) throws {
        let profile = try Self.profile(model.text)
        #expect(profile.surroundings.physics == model.model)
        #expect(profile.surroundings.walls.isEmpty)
        let copy = try Profile(parsing: ProfileWriter.text(of: profile), file: "copy.yaml")
        #expect(copy.surroundings.physics == model.model)
    }

    /// A key that is off changes its own values only.
    @Test func eachKeyHasItsOwnValues() throws {
        for key in PhysicsKey.all where key.off != .impossible {
            let model = try #require(
                try Self.profile("physics: { preset: office, \(key.name): off }").surroundings.physics)
            #expect(key.values(model) == (key.off == .zero ? [0] : nil), "\(key.name)")
            for other in PhysicsKey.all where other.name != key.name {
                #expect(other.values(model) == other.values(Self.office), "\(key.name), \(other.name)")
            }
        }
    }

    @Test func wallsAreReadAndWritten() throws {
        let profile = try Self.profile(
            "walls:\n  - { from: [4, 0], to: [4, 6.25], loss: 6dB }\n  - { from: [-0.00001, 0], to: [9, -2], loss: 3 }")
        let walls = [
            Propagation.Wall(from: Position(x: 4, y: 0), to: Position(x: 4, y: 6.25), loss: 6),
            Propagation.Wall(from: Position(x: -0.00001, y: 0), to: Position(x: 9, y: -2), loss: 3),
        ]
        #expect(profile.surroundings.walls == walls)
        #expect(profile.surroundings.physics == nil)
        let copy = try Profile(parsing: ProfileWriter.text(of: profile), file: "copy.yaml")
        #expect(copy.surroundings.walls == walls)
    }

    @Test(
        arguments: [
            ("", nil), ("power-on: spread", PowerOn.spread), ("power-on: together", .together),
        ] as [(String, PowerOn?)])
    func powerOnIsReadAndWritten(keys: String, powerOn: PowerOn?) throws {
        let profile = try Self.profile(keys)
        #expect(profile.surroundings.powerOn == powerOn)
        #expect(PowerOn(for: [try Self.profile(""), profile]) == powerOn ?? .spread)
        let copy = try Profile(parsing: ProfileWriter.text(of: profile), file: "copy.yaml")
        #expect(copy.surroundings.powerOn == powerOn)
    }

    @Test func scenarioReplacesThePowerOnOfItsProfile() {
        for (added, result) in [(nil, PowerOn.together), (.spread, .spread)] as [(PowerOn?, PowerOn)] {
            #expect(Surroundings(powerOn: .together).with(Surroundings(powerOn: added)).powerOn == result)
        }
    }

    @Test func airHasTheModelOfOneProfileAndTheWallsOfAll() throws {
        let wall = "walls: [{ from: [4, 0], to: [4, 6], loss: 6dB }]"
        let first = try Self.profile(wall)
        let second = try Self.profile("physics: home\n\(wall)")
        let third = try Self.profile("walls: [{ from: [5, 0], to: [5, 6], loss: 6dB }]")
        let model = Propagation(for: [first, second, third])
        #expect(model.exponent == 2.7)
        #expect(model.pathExponent == 1.4)
        #expect(model.walls == first.surroundings.walls + third.surroundings.walls)
        #expect(Propagation(for: [first, second], chosen: Self.office).exponent == 1.6)
        #expect(Propagation(for: [first, second], chosen: Self.office).walls == first.surroundings.walls)
        #expect(Propagation(for: []) == Propagation())
    }
}

extension ProfileMistake {
    private static let rest = "beacons:\n  - { id: a, device: iot-design-shop }\n"

    private static func air(_ keys: String, _ field: String, _ message: String) -> ProfileMistake {
        ProfileMistake("profile: p\n\(keys)\n\(rest)", field: field, message)
    }

    // MARK: - The virtual air

    static let air = [
        air(
            "power-on: ¦togehter", "power-on", "\"togehter\" is not one of spread, together; did you mean \"together\"?"
        ),
        air(
            "physics: ¦ofice", "physics",
            "\"ofice\" is not one of free, hall, office, home, obstructed, off; did you mean \"office\"?"),
        air("physics: ¦[office]", "physics", "a mapping of keys and values is expected here"),
        air(
            "physics: { ¦sigma: 3 }", "physics",
            "there is no key \"sigma\" here; keys are preset, exponent, clutter, shadowing, open-space, "
                + "fading, fast, antenna, sensitivity, capture, interference, body, hand"
        ),
        air("physics: { exponent: ¦11 }", "physics.exponent", "\"11\" is not an exponent from 0 to 10"),
        air("physics: { fast: ¦3m }", "physics.fast", "\"3m\" is not a number of decibels from 0dB to 100dB"),
        air("physics: { fast: ¦nan }", "physics.fast", "\"nan\" is not a number of decibels from 0dB to 100dB"),
        air("physics: { capture: ¦-1dB }", "physics.capture", "\"-1dB\" is not a number of decibels from 0dB to 100dB"),
        air(
            "physics: { sensitivity: ¦1dBm }", "physics.sensitivity",
            "\"1dBm\" is not a sensitivity from -150dBm to 0dBm"),
        air("physics: { shadowing: ¦3dB }", "physics.shadowing", "a mapping of keys and values is expected here"),
        air("physics: { shadowing: ¦{ sigma: 3dB } }", "physics.shadowing", "\"distance\" is missing"),
        air(
            "physics: { shadowing: { sigma: 3dB, distance: ¦0m } }", "physics.shadowing.distance",
            "\"0m\" is not a distance from 0.01m to 1000m"),
        air("physics: { fading: ¦{} }", "physics.fading", "\"k\" is missing"),
        air("physics: { fading: { k: ¦-1 } }", "physics.fading.k", "\"-1\" is not a ratio from 0 to 1000"),
        air("walls: ¦{}", "walls", "a list of at least one wall is expected here"),
        air(
            "walls: [¦{ from: [1, 2], to: [1, 3] }]", "walls[0]",
            "\"loss\" is missing; write loss: 6dB, or material: brick"),
        air("walls: [¦{ to: [1, 3], loss: 1 }]", "walls[0]", "\"from\" is missing; write from: [4, 0]"),
        air(
            "walls: [{ from: ¦[1, 2, 3], to: [1, 3], loss: 1 }]", "walls[0].from",
            "an end of a wall is two numbers of metres, such as [4, 0]"),
        air(
            "walls: [{ from: [1, ¦x], to: [1, 3], loss: 1 }]", "walls[0].from[1]",
            "\"x\" is not a number of metres from -10000 to 10000"),
        air("walls: [{ from: [1, 2], to: ¦5, loss: 1 }]", "walls[0].to", "a list is expected here, such as [4, 0]"),
    ]
}
