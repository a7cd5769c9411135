// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore
package import Devices

/// A named installation of beacons.
package struct Profile: Sendable {
    /// The profile's name; together with a beacon's id, it is the key of saved settings.
    package let name: String
    /// The beacons in the order of the file.
    package let beacons: [BeaconDefinition]
    /// The model of the virtual air, without walls; `nil` for that of the run.
    package let physics: Propagation?
    /// The walls on the virtual air.
    package let walls: [Propagation.Wall]

    /// A profile of these beacons.
    package init(
        name: String, beacons: [BeaconDefinition], physics: Propagation? = nil, walls: [Propagation.Wall] = []
    ) {
        self.name = name
        self.beacons = beacons
        self.physics = physics
        self.walls = walls
    }
}

extension Propagation {
    /// The model of an air for these profiles: the first model that one of them has, else the default, with the walls of all.
    /// - Parameter chosen: a model that takes precedence over those of the profiles.
    package init(for profiles: [Profile], chosen: Propagation? = nil) {
        self = chosen ?? profiles.lazy.compactMap(\.physics).first ?? Propagation()
        for wall in profiles.flatMap(\.walls) where !walls.contains(wall) { walls.append(wall) }
    }
}

/// One beacon of a profile.
package struct BeaconDefinition: Equatable, Sendable {
    /// The beacon's name within the profile.
    package let id: String
    /// The device with its factory settings.
    package let device: any ProfiledDevice
    /// The position in metres, for radios that emulate the air.
    package let position: Position?
    /// The pairing settings; `nil` if the beacon does not pair.
    package let pairing: PairingSettings?

    /// A beacon of this name.
    package init(
        id: String, device: any ProfiledDevice, position: Position? = nil, pairing: PairingSettings? = nil
    ) {
        self.id = id
        self.device = device
        self.position = position
        self.pairing = pairing
    }

    package static func == (left: BeaconDefinition, right: BeaconDefinition) -> Bool {
        left.id == right.id && left.device.isDeclared(like: right.device) && left.position == right.position
            && left.pairing == right.pairing
    }
}
