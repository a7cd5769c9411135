// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
package import Devices
package import Radio

/// What the schedule of a beacon says, as JSON.
package struct ScheduleRecord: Codable, Hashable, Sendable {
    /// Whether it has the beacon on.
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
///
/// The settings that kinds of devices have in common are keys of the same object, named and typed by their declarations.
@dynamicMemberLookup
package struct BeaconRecord: Hashable, Sendable {
    /// The keys that do not depend on the device's settings.
    package struct State: Codable, Hashable, Sendable {
        /// The version of the format.
        package var v = 1
        /// The beacon's name in the run.
        package let device: String
        /// The complete device name; absent if it has none.
        package let name: String?
        /// The profile's name.
        package let profile: String
        /// The kind of device, as in profiles.
        package let kind: String
        /// Whether the beacon is switched on.
        package let enabled: Bool
        /// The settings that only this kind of device has, as `ctl set` takes them; absent if it has none.
        package let values: [String: String]?
        /// The present values of simulated settings, which are `auto` in `values`; absent if there are none.
        package let presentValues: [String: String]?
        /// The UUIDs of the services.
        package let services: [String]
        /// Whether settings are saved.
        package let keepsSettings: Bool
        /// Whether the beacon is on the air: not while it is switched off or refused, or has all the centrals that it
        /// accepts.
        package let onAir: Bool
        /// Whether it is on the air now, or why it is not.
        package let state: AirState
        /// Whether it should be on the air.
        package let shouldBeOnAir: Bool
        /// The advertiser's address, or the last one; absent if the radio does not report it.
        package let address: String?
        /// The PDU type on the air, or the last one.
        package let pdu: String?
        /// The flags in the advertising data on the air, or in the last one; absent if it has none.
        package let flags: UInt8?
        /// The controller's transmit power, in dBm; absent if the radio does not report it.
        package let effectiveTxPower: Int8?
        /// The position x, y, z in metres; absent if the profile has none.
        package let position: [Double]?
        /// The addresses of the connected centrals.
        package let centrals: [String]
        /// `true` if nothing that the beacon sends is received; absent otherwise.
        package let muted: Bool?
        /// `flat`; absent otherwise.
        package let battery: BatteryState?
        /// What the schedule says; absent without one that switches the beacon.
        package let schedule: ScheduleRecord?
        /// Whether `set` changed a setting: `false` if nothing changed, so that nothing was saved; absent for other
        /// commands.
        package let changed: Bool?
    }

    /// The keys that do not depend on the device's settings.
    package let state: State
    /// The values of the common settings, by their keys in JSON.
    private let common: [String: SettingValue.Content]

    /// The record of a status.
    package init(_ status: BeaconStatus) {
        let own = status.settings.filter { $0.field == nil }
        let fields = status.settings.compactMap(\.field)
        common = Dictionary(fields.map { ($0.name, $0.content) }, uniquingKeysWith: { $1 })
        state = State(
            device: status.identifier.name, name: status.name, profile: status.profile, kind: status.kind,
            enabled: status.isEnabled,
            values: own.isEmpty ? nil : Dictionary(own.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 }),
            presentValues: status.presentValues.isEmpty ? nil : status.presentValues, services: status.services,
            keepsSettings: status.keepsSettings, onAir: status.isOnAir, state: status.airState,
            shouldBeOnAir: status.airState.isExpected,
            address: status.effective?.address.value?.description, pdu: status.effective?.pdu.value?.rawValue,
            flags: status.effective?.advertisingData.value.flatMap { bytes in
                (try? AdvertisingData(parsing: bytes))?.flags?.rawValue
            },
            effectiveTxPower: status.effective?.transmitPower.value?.decibelMilliwatts,
            position: status.position.map { [$0.x, $0.y, $0.z] }, centrals: status.centrals,
            muted: status.isMuted ? true : nil, battery: status.hasFlatBattery ? .flat : nil,
            schedule: status.schedule.map(ScheduleRecord.init), changed: status.isChanged)
    }

    /// A value that does not depend on the device's settings.
    package subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value { state[keyPath: path] }

    /// The value of a common setting by its key in JSON; `nil` if the device has no such setting, or no value.
    package subscript(_ field: String) -> SettingValue.Content? { common[field].flatMap { $0 == .absent ? nil : $0 } }

    /// The settings and their values for people: the common ones first.
    package var settings: [(key: String, text: String)] {
        let shared = DeviceRegistry.commonSettings.compactMap { setting in
            common[setting.field].map { (setting.key, setting.display($0)) }
        }
        let own = (state.values ?? [:]).sorted { $0.key < $1.key }.map { key, text in
            (key, state.presentValues?[key].map { "\($0) (\(text))" } ?? text)
        }
        return shared + own
    }
}

extension BeaconRecord: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        state = try State(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        // A setting without a value has no key, like one that the device does not have: the declarations tell them apart.
        let declared = DeviceRegistry.kind(named: state.kind)?.declarations.compactMap(\.common?.field) ?? []
        var common: [String: SettingValue.Content] = [:]
        for setting in DeviceRegistry.commonSettings {
            let key = Key(stringValue: setting.field)
            if let integer = try? container.decode(Int.self, forKey: key) {
                common[setting.field] = .integer(integer)
            } else if let text = try? container.decode(String.self, forKey: key) {
                common[setting.field] = .text(text)
            } else if declared.contains(setting.field) {
                common[setting.field] = .absent
            }
        }
        self.common = common
    }

    package func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        for (field, content) in common {
            switch content {
            case .integer(let integer): try container.encode(integer, forKey: Key(stringValue: field))
            case .text(let text): try container.encode(text, forKey: Key(stringValue: field))
            case .absent: break
            }
        }
    }
}

/// A bond of a beacon as JSON.
package struct BondRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon.
    package let device: String
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
        device = beacon
        self.peer = peer.address.address.description
        peerType = peer.address.isRandom ? "random" : "public"
        authenticated = peer.isAuthenticated
        secureConnections = peer.usesSecureConnections
        keySize = peer.keySize
    }
}
