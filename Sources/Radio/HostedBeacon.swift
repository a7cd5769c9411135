// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import Bluetooth
public import BluetoothCore

/// A beacon that a radio is to carry.
public struct HostedBeacon: Hashable, Sendable {
    /// The name.
    public let identifier: BeaconIdentifier
    /// The GATT services; empty for a beacon that is not connectable.
    public let services: [GATTService]
    /// The first advertisement; `nil` when it starts silent.
    public let advertisement: Advertisement?
    /// Whether it continues to advertise while a central is connected to it.
    public let advertisesWhileConnected: Bool
    /// PROFILE/ID, the same in every run: the beacon's random address is derived from it.
    public let key: String
    /// Position and power, where the air is emulated.
    public let site: BeaconSite
    /// How it pairs; `nil` if it does not.
    public var pairing: PairingSettings?

    /// A beacon that does not pair.
    public init(
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
public struct BeaconSite: Hashable, Sendable {
    /// The position; `nil` is 1 m from every receiver.
    public var position: Position?
    /// The RSSI 1 m from the beacon; `nil` for the radio's default.
    public var measuredPower: MeasuredPower?
    /// The transmit power at which `measuredPower` was measured; `nil` is 0 dBm.
    public var transmitPower: TransmitPower?

    /// A site of these values.
    public init(
        position: Position? = nil, measuredPower: MeasuredPower? = nil, transmitPower: TransmitPower? = nil
    ) {
        self.position = position
        self.measuredPower = measuredPower
        self.transmitPower = transmitPower
    }
}
