// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A setting and its value.
package enum DeviceSetting: Hashable, Sendable {
    /// The proximity UUID.
    case uuid(UUID128)
    /// The iBeacon major.
    case major(UInt16)
    /// The iBeacon minor.
    case minor(UInt16)
    /// The RSSI at 1 m that the frame claims.
    case measuredPower(MeasuredPower)
    /// The advertising interval as it is stored, in range or not.
    case interval(AdvertisingInterval)
    /// The radiated power; `nil` leaves it to the radio.
    case transmitPower(TransmitPower?)
    /// A setting of one kind of device: its key, and its value as people write it.
    case named(String, String)

    /// The setting's key in profiles and in `ctl set`.
    package var key: String {
        switch self {
        case .uuid: "uuid"
        case .major: "major"
        case .minor: "minor"
        case .measuredPower: "measured-power"
        case .interval: "interval"
        case .transmitPower: "tx-power"
        case .named(let name, _): name
        }
    }
}
