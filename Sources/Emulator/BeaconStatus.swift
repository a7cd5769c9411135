// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Devices
package import Radio
package import Space

/// The status of a running beacon.
package struct BeaconStatus: Hashable, Sendable {
    /// The beacon's name in the run.
    package let identifier: BeaconIdentifier
    /// The complete device name; `nil` if it has none.
    package let name: String?
    /// The profile's name.
    package let profile: String
    /// The kind of device, as in profiles.
    package let kind: String
    /// Whether the beacon is switched on.
    package let isEnabled: Bool
    /// The settings, as they are stored.
    package let settings: [SettingValue]
    /// The present values of simulated settings, by key.
    package let presentValues: [String: String]
    /// The UUIDs of the services.
    package let services: [String]
    /// Whether settings are saved.
    package let keepsSettings: Bool
    /// How it moves on an emulated air; `nil` if the profile has no position.
    let motion: Motion?
    /// The position, of a moving beacon the present one; `nil` if the profile has none.
    package internal(set) var position: Position?
    /// Whether the radio reports that the beacon is on the air; so it does of a muted one.
    package internal(set) var isOnAir = false
    /// Whether it is on the air now, or why it is not.
    package internal(set) var airState = AirState.starting
    /// The advertisement on the air, or the last one; `nil` if there was none.
    package internal(set) var effective: EffectiveAdvertisement?
    /// The names of the connected centrals.
    package internal(set) var centrals: [String] = []
    /// Whether nothing that the beacon sends is received.
    package internal(set) var isMuted = false
    /// Whether its battery is flat.
    package internal(set) var hasFlatBattery = false
    /// What its schedule says; `nil` without one that switches it.
    package internal(set) var schedule: ScheduleStatus?
    /// Whether `set` changed a setting; `nil` for other commands.
    package var isChanged: Bool?
}
