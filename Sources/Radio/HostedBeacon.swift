// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import Space

/// A beacon that a radio is to carry.
package struct HostedBeacon: Hashable, Sendable {
    /// The name.
    package let identifier: BeaconIdentifier
    /// The GATT services; empty for a beacon that is not connectable.
    package let services: [GATTService]
    /// The first advertisement, which `PeripheralRadio.advertise` will request; `nil` when the beacon starts silent.
    package let advertisement: Advertisement?
    /// Whether it continues to advertise while a central is connected to it.
    package let advertisesWhileConnected: Bool
    /// PROFILE/ID, the same in every run: the beacon's random address is derived from it.
    package let key: String
    /// Motion and power, where the air is emulated.
    package var site: BeaconSite
    /// How it pairs; `nil` if it does not.
    package var pairing: PairingSettings?
    /// Its Device Name (Core 5.4, Vol 3, Part C, 12.1); `nil` for the name that it advertises, or its identifier.
    package var deviceName: String?

    /// A beacon that does not pair.
    package init(
        identifier: BeaconIdentifier, services: [GATTService], advertisement: Advertisement?,
        advertisesWhileConnected: Bool = false, key: String? = nil, site: BeaconSite = BeaconSite()
    ) {
        self.identifier = identifier
        self.services = services
        self.advertisement = advertisement
        self.advertisesWhileConnected = advertisesWhileConnected
        self.key = key ?? identifier.name
        self.site = site
    }
}

/// A beacon's name within one run: the `id` of its profile entry, or `PROFILE/ID` where two profiles have the same `id`;
/// or the name of a central that stores its bonds.
public struct BeaconIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// A beacon of this name.
    public init(_ name: String) { self.name = name }
    /// The name.
    public var description: String { name }

    public static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}

/// Where a beacon is and how strongly it radiates; only an emulated air uses it.
package struct BeaconSite: Hashable, Sendable {
    /// How it moves; `nil` is 1 m from every receiver.
    package var motion: Motion?
    /// The RSSI 1 m from the beacon; `nil` for the radio's default.
    package var measuredPower: MeasuredPower?
    /// The RSSI 1 m from the beacon of its scan responses; `nil` for `measuredPower`.
    package var scanResponsePower: MeasuredPower?
    /// The transmit power at which they were measured; `nil` is 0 dBm.
    package var transmitPower: TransmitPower?

    package init(
        motion: Motion? = nil, measuredPower: MeasuredPower? = nil, scanResponsePower: MeasuredPower? = nil,
        transmitPower: TransmitPower? = nil
    ) {
        self.motion = motion
        self.measuredPower = measuredPower
        self.scanResponsePower = scanResponsePower
        self.transmitPower = transmitPower
    }
}

extension BluetoothAddress {
    /// A static random address (Core 5.4, Vol 6, Part B, 1.3.2.1) that follows from a text: the same in every run.
    package static func derived(from text: String) -> BluetoothAddress {
        var hash = text.stableHash
        // The low bytes of the hash alone are too similar for similar texts.
        hash ^= hash >> 32
        // Its bytes in this order, the lowest first.
        return BluetoothAddress(bits: hash.byteSwapped >> 16 | 0xC000_0000_0000)
    }
}
