// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Space
import Testing

@Suite struct CarryingTests {
    struct Case: Sendable {
        let heading: Double
        let x, y, z: Double
        let loss: Double
    }

    /// B·(1 - cos θ)/2 with B = 9 dB.
    @Test(arguments: [
        Case(heading: 0, x: 0, y: 5, z: 0, loss: 0),
        Case(heading: 0, x: 0, y: -5, z: 0, loss: 9),
        Case(heading: 0, x: 5, y: 0, z: 0, loss: 4.5),
        Case(heading: 90, x: 5, y: 0, z: 0, loss: 0),
        Case(heading: 90, x: -5, y: 0, z: 0, loss: 9),
        Case(heading: -90, x: -5, y: 0, z: 0, loss: 0),
        Case(heading: 45, x: 1, y: 1, z: 0, loss: 0),
        Case(heading: 0, x: 0.866025403784, y: 0.5, z: 0, loss: 2.25),
        Case(heading: 0, x: 0, y: 0, z: 3, loss: 4.5),
        Case(heading: 0, x: 0, y: 0, z: 0, loss: 0),
        Case(heading: 0, x: .infinity, y: 0, z: 0, loss: 0),
    ])
    func lossGrowsFromTheFrontToTheBack(_ testCase: Case) {
        let carrying = Carrying(.pocket, heading: testCase.heading)
        let loss = carrying.loss(
            at: Position(x: 100, y: 200, z: 1),
            towards: Position(x: 100 + testCase.x, y: 200 + testCase.y, z: 1 + testCase.z), maximum: 9)
        #expect(abs(loss - testCase.loss) < 1e-9)
    }

    struct Turn: Sendable {
        let motion: Motion?
        let seconds: Double
        let heading: Double?
    }

    private static func path(_ points: [(Double, Double, Double)], repeats: Bool = false) -> Motion? {
        Motion.Path(points.map { Motion.Path.Point($0, Position(x: $1, y: $2)) }, repeats: repeats).map(Motion.path)
    }

    /// East from 1 s on, a pause from 3 s to 5 s, then south until 7 s.
    private static let corner = path([(1, 0, 0), (3, 4, 0), (5, 4, 0), (7, 4, -4)])
    private static let round = Motion.Orbit(centre: Position(x: 0, y: 0), radius: 2, period: .seconds(4)).map(
        Motion.orbit)

    /// North is 0, and east is 90.
    @Test(arguments: [
        Turn(motion: .rest(Position(x: 1, y: 1)), seconds: 3, heading: nil),
        Turn(motion: corner, seconds: 0, heading: 90), Turn(motion: corner, seconds: 2, heading: 90),
        Turn(motion: corner, seconds: 4, heading: 90), Turn(motion: corner, seconds: 6, heading: 180),
        Turn(motion: corner, seconds: 60, heading: 180),
        Turn(motion: path([(0, 0, 0), (2, 0, 0), (3, -1, 1)]), seconds: 1, heading: -45),
        Turn(motion: path([(0, 0, 0), (2, 0, 5), (4, 0, 0)], repeats: true), seconds: 5, heading: 0),
        Turn(motion: path([(0, 0, 0), (2, 0, 5), (4, 0, 0)], repeats: true), seconds: 7, heading: 180),
        Turn(motion: path([(0, 3, 3)]), seconds: 1, heading: nil),
        Turn(motion: path([(0, 3, 3), (4, 3, 3)]), seconds: 1, heading: nil),
        Turn(motion: round, seconds: 0, heading: 0), Turn(motion: round, seconds: 1, heading: -90),
        Turn(
            motion: Motion.Orbit(centre: Position(x: 0, y: 0), radius: 0, period: .seconds(4)).map(Motion.orbit),
            seconds: 1, heading: nil),
    ])
    func headingIsTheDirectionOfTheMovement(_ turn: Turn) throws {
        let motion = try #require(turn.motion)
        let heading = motion.heading(atSeconds: turn.seconds)
        guard let expected = turn.heading, let heading else {
            #expect(heading == turn.heading)
            return
        }
        #expect(abs(heading - expected) < 1e-9)
        #expect(ReceiverHardware(heading: 10).heading(of: motion, atSeconds: turn.seconds) == 10)
    }

    @Test func headingAtRestIsNorth() {
        #expect(ReceiverHardware().heading(of: .rest(Position(x: 1, y: 1)), atSeconds: 2) == 0)
        #expect(ReceiverHardware().heading(of: nil, atSeconds: 2) == 0)
    }
}
