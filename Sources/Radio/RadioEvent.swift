// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// An event of a radio that carries beacons.
package enum RadioEvent: Hashable, Sendable {
    /// The radio is usable, for the first time or again.
    case ready(RadioCapabilities)
    /// The radio is not usable any more; `.stopped` follows for each beacon that was on the air. The requested advertisements
    /// return with `.ready` and `.advertising`.
    case lost(RadioError)
    /// A beacon is on the air, or its values have changed.
    case advertising(BeaconIdentifier, AdvertisingStatus)
    /// A beacon is off the air; the reason is a clause for people.
    case stopped(BeaconIdentifier, reason: String)
    /// The radio refuses a beacon's advertisement; it tries again.
    case refused(BeaconIdentifier, RadioError)
    /// A central connected to a beacon.
    case connected(BeaconIdentifier, central: String)
    /// A central disconnected from a beacon.
    case disconnected(BeaconIdentifier, central: String)
    /// A central changed its subscription to a beacon's characteristic. On a radio that does not identify it
    /// (bluetoothd's bus), it is one of the connected centrals.
    case subscribed(
        BeaconIdentifier, central: String, CharacteristicIdentifier, ClientCharacteristicConfiguration)
    /// The radio's own attribute server refused a central's request, for permissions, security or length. A radio that
    /// leaves its attributes to bluetoothd does not report it.
    case refusedRequest(AttributeRequest, ATTError)
    /// A central pairs with a beacon, or the pairing ended.
    case pairing(BeaconIdentifier, central: String, PairingEvent)
    /// A central's connection has these connection parameters, at its beginning or from now on.
    case connectionUpdated(BeaconIdentifier, central: String, ConnectionParameters)
    /// An event of another program's host on the radio's air.
    case host(HostEvent)
    /// The last packet of a recording was sent again.
    case replayEnded(packets: Int)
    /// A warning about one beacon, or about the radio.
    case warning(BeaconIdentifier?, Warning)
}

/// An event of another program's host on a virtual air.
package struct HostEvent: Hashable, Sendable {
    /// The event.
    package enum Action: Hashable, Sendable {
        /// It connected, and has a controller.
        case joined
        /// Its connection ended, and its controller was removed.
        case left
        /// Its connection was closed, because it did not send HCI packets; the reason is a clause for people.
        case refused(reason: String)
        /// It started a scan.
        case scanStarted(isActive: Bool)
        /// It stopped its scan.
        case scanStopped
    }

    /// The event.
    package let action: Action
    /// Its name on the air.
    package let name: String
    /// The server that it connected to: `tcp:127.0.0.1:6402`, `vhci`.
    package let transport: String
    /// The host's end of the connection: `127.0.0.1:53412`, `hci1`.
    package let peer: String
    /// The public address of its controller; `nil` if it was refused before it had one.
    package let address: BluetoothAddress?
    /// What it is, if it says so: `emulator`, `cuttlefish`, `bumble`.
    package let kind: String?

    package init(
        _ action: Action, name: String, transport: String, peer: String, address: BluetoothAddress?,
        kind: String? = nil
    ) {
        self.action = action
        self.name = name
        self.transport = transport
        self.peer = peer
        self.address = address
        self.kind = kind
    }
}
