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
}
