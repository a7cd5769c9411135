// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
public import BluetoothCore

/// Something that happened on a radio.
public enum RadioEvent: Hashable, Sendable {
    /// It is usable, for the first time or again.
    case ready(RadioCapabilities)
    /// It is not usable any more; the wanted advertisements come back with `.ready` and `.advertising`.
    case lost(RadioError)
    /// A beacon is on the air, newly or with other values.
    case advertising(BeaconIdentifier, AdvertisingStatus)
    /// A beacon is off the air; the reason is a clause for people.
    case stopped(BeaconIdentifier, reason: String)
    /// The radio does not take a beacon's advertisement; it will be tried again.
    case refused(BeaconIdentifier, RadioError)
    /// A central connected to a beacon.
    case connected(BeaconIdentifier, central: String)
    /// A central is gone from a beacon.
    case disconnected(BeaconIdentifier, central: String)
    /// A central wants to be told other things of a beacon's characteristic. On a radio that does not say who does
    /// (bluetoothd's bus), the central is one that is connected.
    case subscribed(
        BeaconIdentifier, central: String, CharacteristicIdentifier, ClientCharacteristicConfiguration)
    /// The radio's own attribute server refused a central's request, for permissions, security or length. A radio that
    /// leaves its attributes to bluetoothd does not report it.
    case refusedRequest(AttributeRequest, ATTError)
    /// A central pairs with a beacon, or something became of that.
    case pairing(BeaconIdentifier, central: String, PairingEvent)
    /// A central's connection has this timing, at its beginning or from now on.
    case connectionUpdated(BeaconIdentifier, central: String, ConnectionParameters)
    /// Another program's host did something on the radio's air.
    case host(HostEvent)
    /// Something to know that concerns one beacon, or the whole radio.
    case warning(BeaconIdentifier?, Warning)
}
