// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
package import Devices
package import Radio
package import Space

/// The status of a running beacon.
package struct BeaconStatus: Hashable, Sendable {
    /// The beacon's name in the run.
    package let identifier: BeaconIdentifier
    /// Its name for people; `nil` if it has none.
    package internal(set) var label: String?
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
    /// The name of the room that it is in; `nil` outside of all rooms.
    package internal(set) var room: String?
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

extension BeaconStatus {
    /// The identity of the first frame on the air that has one, as `FORMAT:ID/ID/ID`: `ibeacon:8F0C…/3/1`. Where the radio does not
    /// report the data, the proximity UUID, major and minor of the settings; `nil` for a device without an identity.
    package var identity: String? {
        let data = [effective?.advertisingData.value, effective?.scanResponse.value].compactMap(\.self)
        let frames = data.flatMap { AdvertisingData.prefix(of: $0).data.frames }
        if let identity = frames.lazy.compactMap(\.identity).first { return identity.text }
        let numbers = ["uuid", "major", "minor"].compactMap { key in settings.first { $0.key == key }?.text }
        return numbers.count == 3 ? "\(IBeacon.formatName):\(numbers.joined(separator: "/"))" : nil
    }
}

extension BeaconIdentity {
    /// `ibeacon:8F0C1B52-6D1A-4B7E-9C7E-2F7D3A1E5B90/3/1`
    fileprivate var text: String {
        let parts: [String] =
            switch identifiers {
            case .numbers(let uuid, let major, let minor): [uuid.description, "\(major)", "\(minor)"]
            case .namespace(let namespace, let instance):
                [Hexadecimal.string(namespace), Hexadecimal.string(instance)]
            case .text(let text): [text]
            }
        return "\(format):\(parts.joined(separator: "/"))"
    }
}
