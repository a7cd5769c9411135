// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
package import Devices
package import Radio

/// What the schedule of a beacon says, as JSON.
package struct ScheduleRecord: Codable, Hashable, Sendable {
    /// Whether the schedule has the beacon on.
    package let on: Bool
    /// When that changes, in UTC; absent if it does not.
    package let until: String?
    /// `true` if the beacon was switched the other way until then; absent otherwise.
    package let overridden: Bool?

    init(_ status: ScheduleStatus) {
        on = status.isOn
        until = status.until.map { Timestamp.text(sinceUnixEpoch: $0) }
        overridden = status.isOverridden ? true : nil
    }
}

/// The status of a beacon as JSON.
package struct BeaconRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon's name in the run.
    package let id: String
    /// The complete device name; absent if it has none.
    package let name: String?
    /// The profile's name.
    package let profile: String
    /// The kind of device, as in profiles.
    package let kind: String
    /// Whether the beacon is switched on.
    package let enabled: Bool
    /// The settings that can be changed, by their keys in profiles, in the form that a change accepts.
    package let settings: [String: SettingValue.Content]
    /// The present values of simulated settings, which are `auto` in `settings`; absent if there are none.
    package let present: [String: String]?
    /// The UUIDs of the services.
    package let services: [String]
    /// Whether settings are saved.
    package let keepsSettings: Bool
    /// Whether the radio advertises it, muted or not: not while it is switched off or refused, or has all the centrals that it
    /// accepts.
    package let onAir: Bool
    /// On the air, or the reason why it is not.
    package let state: AirState
    /// Whether it should be on the air.
    package let shouldBeOnAir: Bool
    /// The advertisement on the air, or the last one; absent if there was none.
    package let effective: EffectiveRecord?
    /// The position x, y, z in metres; absent if the profile has none.
    package let position: [Double]?
    /// The addresses of the connected centrals.
    package let centrals: [String]
    /// Whether nothing that the beacon sends is received.
    package let muted: Bool
    package let battery: BatteryState
    /// What the schedule says; absent without one that switches the beacon.
    package let schedule: ScheduleRecord?
    /// Whether a change of settings changed one: `false` if nothing changed, so that nothing was saved; absent in other answers.
    package let changed: Bool?

    /// The record of a status.
    package init(_ status: BeaconStatus) {
        id = status.identifier.name
        name = status.name
        profile = status.profile
        kind = status.kind
        enabled = status.isEnabled
        settings = Dictionary(status.settings.map { ($0.key, $0.content) }, uniquingKeysWith: { $1 })
        present = status.presentValues.isEmpty ? nil : status.presentValues
        services = status.services
        keepsSettings = status.keepsSettings
        onAir = status.isOnAir
        state = status.airState
        shouldBeOnAir = status.airState.isExpected
        effective = status.effective.map(EffectiveRecord.init)
        position = status.position.map { [$0.x, $0.y, $0.z] }
        centrals = status.centrals
        muted = status.isMuted
        battery = status.hasFlatBattery ? .flat : .full
        schedule = status.schedule.map(ScheduleRecord.init)
        changed = status.isChanged
    }

    /// The settings as a profile has them, all as texts.
    package var profileTexts: [String: String] { settings.mapValues(\.text) }

    /// The settings and their values for people: the common ones first.
    package var settingTexts: [(key: String, text: String)] {
        let shared = DeviceRegistry.commonSettings.compactMap { setting in
            settings[setting.key].map { (setting.key, setting.display($0)) }
        }
        let names = Set(shared.map(\.0))
        let own = settings.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }.map { key, value in
            (key, present?[key].map { "\($0) (\(value.text))" } ?? value.text)
        }
        return shared + own
    }
}

/// A bond of a beacon as JSON.
package struct BondRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    package let beacon: String
    /// The peer's identity address.
    package let peer: String
    /// The type of that address: `random` or `public`.
    package let peerType: String
    /// Whether the key is authenticated: protected against a person in the middle.
    package let authenticated: Bool?
    /// Whether the key was generated with LE Secure Connections.
    package let secureConnections: Bool?
    /// The size of the key, in bytes.
    package let keySize: UInt8?

    package init(_ beacon: String, _ peer: PairedPeer) {
        self.beacon = beacon
        self.peer = peer.address.address.description
        peerType = peer.address.isRandom ? "random" : "public"
        authenticated = peer.isAuthenticated
        secureConnections = peer.usesSecureConnections
        keySize = peer.keySize
    }
}
