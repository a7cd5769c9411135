// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
package import Profiles
import Radio
package import Space

/// The model of the virtual air for profiles, with what the command line has of it.
package typealias AirModelling = @Sendable ([Profile]) -> Propagation

/// The physics and the walls of the virtual air in a run.
///
/// They are those of the profiles, or the ones that the command line has instead. A client may change the physics. A reload
/// changes what the profiles have changed: another model replaces the one of a client, other walls do not. Confined to the actor
/// of the run.
final class AirModel {
    private let modelling: AirModelling
    /// What the profiles have.
    private var described = Propagation()
    /// What the run has made of it.
    private var made = Propagation()

    init(_ modelling: @escaping AirModelling) { self.modelling = modelling }

    /// Takes the profiles that the run starts with.
    func begin(with profiles: [Profile]) {
        described = Propagation(for: profiles)
        made = modelling(profiles)
    }

    /// Takes the profiles of a reload.
    /// - Parameters:
    ///   - present: the model of the air.
    ///   - startsOver: whether the changes of clients end.
    /// - Returns: the next model of the air, and a warning if the command line has another model than the profiles.
    func reload(
        _ profiles: [Profile], over present: Propagation, startsOver: Bool
    ) -> (next: Propagation, warning: Warning?) {
        let (formerlyDescribed, formerlyMade) = (described, made)
        begin(with: profiles)
        var next = startsOver || made.withoutObstacles != formerlyMade.withoutObstacles ? made : present
        (next.walls, next.slabs) = (made.walls, made.slabs)
        let isIgnored =
            described.withoutObstacles != formerlyDescribed.withoutObstacles
            && made.withoutObstacles == formerlyMade.withoutObstacles
        return (next, isIgnored ? Self.ignored : nil)
    }

    private static let ignored = Warning(
        code: "physics-unchanged",
        message: "the profiles have other physics, but the run was started with --physics, which takes precedence",
        hint: "start the run without --physics, or change the physics (beaconry ctl physics NAME)")
}

// The physics of the virtual air, and their changes.
extension Emulator {
    /// The virtual air: its physics, its walls, its floor plan, and the level of each beacon.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func airRecord() async throws(EmulatorError) -> AirRecord { try await air.record(plan, truth.building) }

    /// The picture of the floor plan.
    /// - Throws: `EmulatorError` `.noMap` if no profile has one.
    package func planPicture() throws(EmulatorError) -> Picture {
        if let plan { return plan.picture }
        throw EmulatorError(.noMap, "no profile of the run has a map", hint: "give the profile one (map), and reload")
    }

    private var plan: GroundPlan? { roster.profiles.lazy.compactMap(\.surroundings.plan).first }

    /// Changes the physics of the virtual air from now on; the walls stay.
    /// - Parameter text: the name of a preset, or the keys of `physics` in profiles, in YAML or JSON.
    /// - Throws: `EmulatorError` with the faults of the text, or `.unsupported` if the radio has no positions.
    package func changePhysics(_ text: String) async throws(EmulatorError) -> AirRecord {
        var next: Propagation
        do throws(ProfileFaults) {
            next = try Propagation(parsing: text, file: "physics")
        } catch {
            throw EmulatorError(error)
        }
        // After the changes of the profiles before it, which have physics, too.
        _ = try air.positioning()
        let model = next
        return try await inOrder { emulator throws(EmulatorError) in
            let radio = try emulator.air.positioning()
            var next = model
            let present = await radio.propagation()
            (next.walls, next.slabs) = (present.walls, present.slabs)
            await emulator.setPropagation(next, on: radio)
            return try await emulator.airRecord()
        }
    }

    /// Gives the air the physics and the walls of the profiles of a reload.
    /// - Parameter startsOver: whether the changes of clients end.
    func reloadPhysics(_ profiles: [Profile], startsOver: Bool) async {
        await noteBuilding(of: profiles)
        guard let radio = try? air.positioning() else { return }
        let (next, warning) = airModel.reload(profiles, over: await radio.propagation(), startsOver: startsOver)
        await setPropagation(next, on: radio)
        if let warning { events.post(.warning(warning)) }
    }

    /// Takes the floors and the rooms of the profiles, and reports the rooms that receivers are in.
    func noteBuilding(of profiles: [Profile]) async {
        let building = Building(for: profiles)
        truth.setBuilding(building)
        await roomWatch?.setBuilding(building)
    }

    private func setPropagation(_ next: Propagation, on radio: any PositioningRadio) async {
        guard await radio.propagation() != next else { return }
        await radio.setPropagation(next)
        for listener in listeners.all { await listener.noteAir() }
        events.post(.physics(AirRecord.Physics(next), walls: next.walls.count))
    }
}
