// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// A radio that carries beacons.
///
/// It reconciles: after a restart of the daemon, or when an adapter was unplugged, it restores the requested
/// advertisements as soon as possible, and reports the effective ones through `events`.
///
/// What only some radios can do has a protocol of its own below. Ask for it with `as?`: a radio that cannot do it does not
/// conform, so nothing is ignored without notice.
package protocol PeripheralRadio: Sendable {
    /// The name, as `--radio` takes it.
    var name: String { get }

    /// Events of the radio, in order. There is one consumer; the stream ends with `close()`.
    var events: RadioEvents { get }

    /// Claims the radio for these beacons. Their first advertisements determine capacity, addresses and attribute tables;
    /// the air is silent until `advertise`, because a device is switched on when its radio is usable, and not before.
    /// - Parameters:
    ///   - waits: whether to wait for a radio that is not usable yet instead of failing.
    ///   - attributes: answers the centrals' requests.
    /// - Returns: the capabilities of the radio.
    /// - Throws: `RadioError` if it is not usable or cannot carry all the beacons; then nothing is on the air.
    func open(
        _ beacons: [HostedBeacon], waits: Bool,
        attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities

    /// Replaces the beacons that the radio is claimed for; those in both lists continue undisturbed.
    /// - Throws: `RadioError` if it cannot carry them all; then it continues with the former ones.
    func replan(_ beacons: [HostedBeacon]) async throws(RadioError)

    /// Sets the advertisement of a beacon; `nil` stops advertising.
    ///
    /// `RadioEvent.advertising` or `.refused` reports the result.
    func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) async

    /// Sends the value of a beacon's characteristic, by notification or indication as each central is subscribed.
    /// - Parameter central: the only central to notify; `nil` notifies all subscribers. Centrals without a subscription
    ///   are skipped, and so are those that have not taken earlier values yet.
    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier,
        to central: String?
    ) async

    /// Ends a central's connection.
    func disconnect(central: String) async

    /// Stops all advertising and releases the radio. Nothing of this process remains on it.
    func close() async
}

/// A radio that can ask centrals for other connection parameters.
package protocol ConnectionUpdatingRadio: PeripheralRadio {
    /// Requests other connection parameters of a central; `RadioEvent.connectionUpdated` reports its consent.
    func updateConnection(of central: String, to parameters: ConnectionParameters) async
}

/// A radio whose beacons can be GATT clients of the centrals that are connected to them.
package protocol ClientRadio: PeripheralRadio {
    /// The connection of a central to one of the beacons, over which the beacon uses the central's attributes. Each
    /// call for the same connection returns the same link.
    /// - Throws: `RadioError` `.refused` if there is no such central.
    func link(to central: String) async throws(RadioError) -> any RemoteLink
}

/// A radio whose beacons pair with centrals.
package protocol PairingRadio: PeripheralRadio {
    /// Answers a question of a pairing with a central, or cancels the pairing; an answer without a question is ignored.
    func answerPairing(_ answer: PairingAnswer, of central: String) async

    /// Requests encryption of a central, which pairs if it has not done so.
    func requestSecurity(of central: String) async

    /// Forgets the bond with a peer, or all bonds of a beacon; `RadioEvent.pairing` reports each.
    /// - Returns: the number of bonds forgotten.
    func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) async -> Int
}

/// A radio that stores its beacons' bonds in this process. Other radios leave them to bluetoothd.
package protocol BondStoringRadio: PeripheralRadio {
    /// Sets the store of the beacons' bonds; call it before `open`.
    func storeBonds(in store: any BondStore) async
}
