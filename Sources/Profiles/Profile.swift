// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore
// A profile consists of devices; the texts and faults of its values are declared beside them.
@_exported public import Devices

/// An installation: beacons, by name.
package struct Profile: Sendable {
    /// Its name; with a beacon's id, the key of persisted settings.
    package let name: String
    /// Its beacons in the order of the file.
    package let beacons: [BeaconDefinition]

    /// A profile of these beacons.
    package init(name: String, beacons: [BeaconDefinition]) {
        self.name = name
        self.beacons = beacons
    }
}

/// One beacon of a profile.
package struct BeaconDefinition: Equatable, Sendable {
    /// Its name within the profile.
    package let id: String
    /// The device, as it leaves the factory.
    package let device: any ProfiledDevice
    /// Its position in metres, for radios that emulate the air.
    package let position: Position?
    /// How it pairs; `nil` when it does not pair.
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
