// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Devices
import Radio

/// A beacon's status as its JSON has it.
package struct BeaconRecord: Codable, Hashable, Sendable {
    /// The format's version.
    package var v = 1
    /// Its name in this run.
    package let device: String
    /// The name that it advertises, all of it; absent when it has none.
    package let name: String?
    /// Its profile's name.
    package let profile: String
    /// Its device's name in profiles.
    package let kind: String
    /// Whether it is switched on.
    package let enabled: Bool
    /// The proximity UUID.
    package private(set) var uuid: String?
    /// The iBeacon major.
    package private(set) var major: UInt16?
    /// The iBeacon minor.
    package private(set) var minor: UInt16?
    /// In dBm.
    package private(set) var measuredPower: Int8?
    /// As it is stored, in 0.625 ms.
    package private(set) var intervalTicks: UInt32?
    /// In dBm; absent where it is left to the radio.
    package private(set) var txPower: Int8?
    /// The settings that only this device has, as they are written for `ctl set`; absent when it has none.
    package private(set) var values: [String: String]?
    /// What those of `values` are now that change by themselves, whose text there is `auto`; absent when none does.
    package let presentValues: [String: String]?
    /// The UUIDs of its services.
    package let services: [String]
    /// Whether changes survive the run.
    package let keepsSettings: Bool
    /// Whether it is on the air: not while it is switched off, refused, or connected to as many centrals as it takes.
    package let onAir: Bool
    /// The address that it advertises from, or did last; absent where the radio does not report it.
    package let address: String?
    /// The PDU type on the air, or the last one.
    package let pdu: String?
    /// The flags in the advertising data on the air, or in the last; absent where it has none.
    package let flags: UInt8?
    /// The power that the controller transmits with, in dBm; absent where the radio does not report it.
    package let effectiveTxPower: Int8?
    /// Where it is: x, y and z in metres; absent where its profile does not say.
    package let position: [Double]?
    /// The centrals that are connected to it, by their addresses.
    package let centrals: [String]
    /// Whether `set` changed a setting: `false` when all were so already, and nothing was written; absent elsewhere.
    package let changed: Bool?

    /// The record of a status.
    package init(_ status: BeaconStatus) {
        device = status.identifier.name
        name = status.name
        profile = status.profile
        presentValues = status.presentValues.isEmpty ? nil : status.presentValues
        kind = status.kind
        enabled = status.isEnabled
        services = status.services
        keepsSettings = status.keepsSettings
        onAir = status.isOnAir
        address = status.effective?.address.value?.description
        pdu = status.effective?.pdu.value?.rawValue
        flags = status.effective?.advertisingData.value.flatMap { octets in
            (try? AdvertisingData(parsing: octets))?.flags?.rawValue
        }
        effectiveTxPower = status.effective?.transmitPower.value?.decibelMilliwatts
        position = status.position.map { [$0.x, $0.y, $0.z] }
        centrals = status.centrals
        changed = status.isChanged
        for setting in status.settings {
            switch setting {
            case .uuid(let value): uuid = value.description
            case .major(let value): major = value
            case .minor(let value): minor = value
            case .measuredPower(let value): measuredPower = value.decibelMilliwatts
            case .interval(let value): intervalTicks = value.count
            case .transmitPower(let value): txPower = value?.decibelMilliwatts
            case .named(let name, let text): values = (values ?? [:]).merging([name: text]) { $1 }
            }
        }
    }
}
