// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import Devices
package import Radio

/// A running beacon's state, for people and `ctl`.
package struct BeaconStatus: Hashable, Sendable {
    /// Its name in this run.
    package let identifier: BeaconIdentifier
    /// The name that it advertises, all of it; `nil` when it has none.
    package let name: String?
    /// Its profile's name.
    package let profile: String
    /// Its device's name in profiles.
    package let kind: String
    /// Whether it is switched on.
    package let isEnabled: Bool
    /// Its settings, stored values as they are.
    package let settings: [DeviceSetting]
    /// What those of its settings are now that change by themselves, by their keys.
    package let presentValues: [String: String]
    /// The UUIDs of its services.
    package let services: [String]
    /// Whether changes survive the run.
    package let keepsSettings: Bool
    /// Where it is; `nil` where its profile does not say.
    package let position: Position?
    /// Whether it is on the air.
    package internal(set) var isOnAir = false
    /// What is on the air for it, or was last; `nil` before it was for the first time.
    package internal(set) var effective: EffectiveAdvertisement?
    /// The centrals that are connected to it, by their names.
    package internal(set) var centrals: [String] = []
    /// Whether the command that this answers changed a setting; `nil` where it answers no such command.
    package internal(set) var isChanged: Bool?

    /// The names of the settings that only its device has.
    var ownSettings: [String] {
        settings.compactMap { if case .named(let name, _) = $0 { name } else { nil } }
    }
}
