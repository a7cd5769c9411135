// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Profiles
import Space
import Testing

@testable import Emulator

/// What a reload makes of the physics of the air, after changes by the profiles, by a client, and by the command line.
@Suite struct AirModelTests {
    private static let wall = Propagation.Wall(from: Position(x: 0, y: 0), to: Position(x: 1, y: 0), loss: 6)

    private static func profile(_ exponent: Double?, walls: [Propagation.Wall] = []) -> [Profile] {
        let physics = exponent.map { Propagation(exponent: $0) }
        return [Profile(name: "room", beacons: [], surroundings: Surroundings(physics: physics, walls: walls))]
    }

    /// The exponents before and after a reload, and of the present air; what follows from them.
    struct Case: Sendable {
        let before: Double?, after: Double?
        /// Of the air, after a change by a client.
        var present: Double?
        /// Of the command line.
        var chosen: Double?
        var startsOver = false
        let result: Double
        var warns = false
    }

    @Test(arguments: [
        Case(before: 2, after: 2, result: 2),
        Case(before: 2, after: 3, result: 3),
        Case(before: nil, after: 3, result: 3),
        Case(before: 3, after: nil, result: 2),
        Case(before: 2, after: 2, present: 4, result: 4),
        Case(before: 2, after: 3, present: 4, result: 3),
        Case(before: 2, after: 2, present: 4, startsOver: true, result: 2),
        Case(before: 2, after: 3, present: 1, chosen: 1, result: 1, warns: true),
        Case(before: 2, after: 2, present: 1, chosen: 1, result: 1),
        Case(before: 2, after: 3, present: 4, chosen: 1, result: 4, warns: true),
        Case(before: 2, after: 2, present: 4, chosen: 1, startsOver: true, result: 1),
    ])
    func reloadChangesWhatTheProfilesHaveChanged(_ each: Case) {
        let model = AirModel { profiles in
            Propagation(for: profiles, chosen: each.chosen.map { Propagation(exponent: $0) })
        }
        model.begin(with: Self.profile(each.before))
        let present = Propagation(exponent: each.present ?? each.before ?? 2)
        let (next, warning) = model.reload(
            Self.profile(each.after, walls: [Self.wall]), over: present, startsOver: each.startsOver)
        #expect(next == Propagation(exponent: each.result, walls: [Self.wall]))
        #expect((warning?.code == "physics-unchanged") == each.warns)
    }
}
