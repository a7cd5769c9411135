// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import Devices
public import Radio

/// A running beacon's state, for people and `ctl`.
public struct BeaconStatus: Hashable, Sendable {
    /// Its name in this run.
    public let identifier: BeaconIdentifier
    /// The name that it advertises, all of it; `nil` when it has none.
    public let name: String?
    /// Its profile's name.
    public let profile: String
    /// Its device's name in profiles.
    public let kind: String
    /// Whether it is switched on.
    public let isEnabled: Bool
    /// Its settings, stored values as they are.
    public let settings: [DeviceSetting]
    /// What those of its settings are now that change by themselves, by their keys.
    public let presentValues: [String: String]
    /// The UUIDs of its services.
    public let services: [String]
    /// Whether changes survive the run.
    public let keepsSettings: Bool
    /// Where it is; `nil` where its profile does not say.
    public let position: Position?
    /// Whether it is on the air.
    public internal(set) var isOnAir = false
    /// What is on the air for it, or was last; `nil` before it was for the first time.
    public internal(set) var effective: EffectiveAdvertisement?
    /// The centrals that are connected to it, by their names.
    public internal(set) var centrals: [String] = []
    /// Whether the command that this answers changed a setting; `nil` where it answers no such command.
    public internal(set) var isChanged: Bool?

    /// The names of the settings that only its device has.
    var ownSettings: [String] {
        settings.compactMap { if case .named(let name, _) = $0 { name } else { nil } }
    }
}
