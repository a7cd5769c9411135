// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Space

/// A named installation of beacons.
package struct Profile: Sendable {
    /// The profile's name; together with a beacon's id, it is the key of saved settings.
    package let name: String
    /// The beacons in the order of the file.
    package let beacons: [BeaconDefinition]
    /// The receivers in the order of the file.
    package let receivers: [ReceiverDefinition]
    /// What is around them on the virtual air.
    package let surroundings: Surroundings
    /// The hash of the files that it was read from; `nil` for a profile that was not read.
    package var files: ContentHash?
    /// Texts of its files that a comment has cut, for warnings.
    package var cutTexts: [CutText] = []

    /// A profile of these parts.
    package init(
        name: String, beacons: [BeaconDefinition], receivers: [ReceiverDefinition] = [],
        surroundings: Surroundings = Surroundings(), files: ContentHash? = nil
    ) {
        self.files = files
        self.name = name
        self.beacons = beacons
        self.receivers = receivers
        self.surroundings = surroundings
    }
}

/// What a profile says of the virtual air beside its devices.
package struct Surroundings: Hashable, Sendable {
    /// The model of the air, without walls; `nil` for the model of the run.
    package var physics: Propagation?
    /// The walls, without those of rooms.
    package var walls: [Propagation.Wall]
    /// The floors and the rooms; `nil` for none.
    package var building: Building?
    /// The floor plan; `nil` for none.
    package var plan: GroundPlan?
    /// How the beacons were switched on; `nil` for the default.
    package var powerOn: PowerOn?

    /// Surroundings of these parts.
    package init(
        physics: Propagation? = nil, walls: [Propagation.Wall] = [], building: Building? = nil,
        plan: GroundPlan? = nil, powerOn: PowerOn? = nil
    ) {
        self.physics = physics
        self.walls = walls
        self.building = building
        self.plan = plan
        self.powerOn = powerOn
    }

    /// The same with parts of a scenario: its physics, its plan and its power-on replace the present ones, and its walls, its floors
    /// and its rooms are added.
    package func with(_ added: Surroundings) -> Surroundings {
        Surroundings(
            physics: added.physics ?? physics, walls: walls + added.walls,
            building: building?.with(added.building) ?? added.building, plan: added.plan ?? plan,
            powerOn: added.powerOn ?? powerOn)
    }
}

/// How the beacons that a run begins with were switched on.
package enum PowerOn: String, Hashable, Sendable, CaseIterable {
    /// Each at its own time before the run: the first packet comes at a phase that is uniform in the interval.
    case spread
    /// All at the start, as after a power cut: the first packets come within 10 ms.
    case together

    /// The value of `power-on`.
    package init(parsing text: String) throws(ValueFault) {
        guard let value = PowerOn(rawValue: text) else {
            throw ValueFault(Spelling.notOne(text, of: Self.allCases.map(\.rawValue)))
        }
        self = value
    }

    /// That of an air for these profiles: the first that one of them has, else the default.
    package init(for profiles: [Profile]) {
        self = profiles.lazy.compactMap(\.surroundings.powerOn).first ?? .spread
    }
}

extension Profile {
    /// The profile with other beacons.
    package func with(_ beacons: [BeaconDefinition]) -> Profile { with(beacons, receivers, surroundings) }

    /// The profile with other receivers.
    package func with(receivers: [ReceiverDefinition]) -> Profile { with(beacons, receivers, surroundings) }

    /// The profile with another floor plan.
    package func with(plan: GroundPlan?) -> Profile {
        var surroundings = surroundings
        surroundings.plan = plan
        return with(beacons, receivers, surroundings)
    }

    private func with(
        _ beacons: [BeaconDefinition], _ receivers: [ReceiverDefinition], _ surroundings: Surroundings
    ) -> Profile {
        var profile = Profile(
            name: name, beacons: beacons, receivers: receivers, surroundings: surroundings, files: files)
        profile.cutTexts = cutTexts
        return profile
    }
}

extension Building {
    /// The building of an air for these profiles: the first that one of them has, else one without floors and rooms.
    package init(for profiles: [Profile]) {
        self = profiles.lazy.compactMap(\.surroundings.building).first ?? Building()
    }

    /// The same with the floors and the rooms of another one.
    func with(_ added: Building?) -> Building {
        Building(floors: floors + (added?.floors ?? []), rooms: rooms + (added?.rooms ?? []))
    }
}

extension Propagation {
    /// The model of an air for these profiles: the first model that one of them has, else the default, with the walls of all, and the
    /// walls and the slabs of the building.
    /// - Parameter chosen: a model that takes precedence over the models of the profiles.
    package init(for profiles: [Profile], chosen: Propagation? = nil) {
        self = chosen ?? profiles.lazy.compactMap(\.surroundings.physics).first ?? Propagation()
        for wall in profiles.flatMap(\.surroundings.walls) where !walls.contains(wall) { walls.append(wall) }
        let building = Building(for: profiles)
        walls = building.walls(with: walls)
        slabs = building.slabs
    }
}

/// One beacon of a profile.
///
/// A profile may have thousands of beacons, which the profile and each running beacon refer to: copies share one definition.
package struct BeaconDefinition: Equatable, Sendable {
    private final class Content: Sendable {
        let id: String
        let device: any ProfiledDevice
        /// `nil` if the beacon has none of them, as most.
        let options: Options?

        init(id: String, device: any ProfiledDevice, options: Options?) {
            self.id = id
            self.device = device
            self.options = options
        }
    }

    /// What few beacons have.
    private final class Options: Sendable {
        let label: String?
        let movement: Movement?
        let pairing: PairingSettings?
        let schedule: Schedule?

        /// - Returns: `nil` for none of them.
        init?(_ label: String?, _ movement: Movement?, _ pairing: PairingSettings?, _ schedule: Schedule?) {
            if label == nil, movement == nil, pairing == nil, schedule == nil { return nil }
            self.label = label
            self.movement = movement
            self.pairing = pairing
            self.schedule = schedule
        }
    }

    private let content: Content

    /// A beacon of this name.
    package init(
        id: String, device: any ProfiledDevice, label: String? = nil, movement: Movement? = nil,
        pairing: PairingSettings? = nil, schedule: Schedule? = nil
    ) {
        content = Content(id: id, device: device, options: Options(label, movement, pairing, schedule))
    }

    /// The beacon's name within the profile.
    package var id: String { content.id }
    /// The device with its factory settings.
    package var device: any ProfiledDevice { content.device }
    /// Its name for people, which is not on the air; `nil` for none.
    package var label: String? { content.options?.label }
    /// Where it is and how it moves, for radios that emulate the air; `nil` for a beacon without a position.
    package var movement: Movement? { content.options?.movement }
    /// The pairing settings; `nil` if the beacon does not pair.
    package var pairing: PairingSettings? { content.options?.pairing }
    /// When it is on, and how its identity changes; `nil` for a beacon that is always on.
    package var schedule: Schedule? { content.options?.schedule }

    /// The position at the start; `nil` if it has none.
    package var position: Position? { movement?.motion.position(at: .zero) }

    /// The beacon with another label.
    package func with(label: String?) -> BeaconDefinition {
        guard label != self.label else { return self }
        return BeaconDefinition(
            id: id, device: device, label: label, movement: movement, pairing: pairing, schedule: schedule)
    }

    /// Whether both are the same but for their labels.
    package func isSameDevice(as other: BeaconDefinition) -> Bool {
        content === other.content
            || id == other.id && device.isDeclared(like: other.device) && movement == other.movement
                && pairing == other.pairing && schedule == other.schedule
    }

    package static func == (left: BeaconDefinition, right: BeaconDefinition) -> Bool {
        left.label == right.label && left.isSameDevice(as: right)
    }
}

/// A receiver of a profile: a server of the virtual air, whose hosts have its name and its motion.
package struct ReceiverDefinition: Hashable, Sendable {
    /// The receiver's name, which no beacon of the profile has.
    package let id: String
    /// Its name for people; `nil` for none.
    package var label: String?
    /// Where it is and how it moves; `nil` for 1 m from every beacon.
    package let movement: Movement?
    /// Where its hosts find controllers; `nil` for a free port of 127.0.0.1.
    package let server: ServerAddress?

    /// Where clients of ESPHome's API find a proxy with its name and its motion: `127.0.0.1:6053`; `nil` for no proxy.
    package let proxy: String?
    /// How it scans within the run; `nil` for a receiver whose hosts are other processes.
    package let listener: ListenerSettings?
    /// Its hardware, and how a person carries it; that of its listener, too.
    package let traits: ReceiverTraits

    /// A receiver of this name.
    package init(
        id: String, label: String? = nil, movement: Movement? = nil, server: ServerAddress? = nil,
        proxy: String? = nil, listener: ListenerSettings? = nil, traits: ReceiverTraits = ReceiverTraits()
    ) {
        self.id = id
        self.label = label
        self.movement = movement
        self.server = server
        self.proxy = proxy
        self.traits = traits
        var listener = listener
        listener?.traits = traits
        self.listener = listener
    }
}
