// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import Bluetooth
import BluetoothCore

/// Something that carries beacons: it is told what should be on the air and keeps it there.
///
/// A radio reconciles: whatever happens to it (daemon restarted, adapter unplugged), it puts the wanted advertisements
/// back as soon as it can, and reports what is so through `events`.
public protocol PeripheralRadio: Sendable {
    /// Its name, as `--radio` takes it.
    var name: String { get }

    /// What happens on it, in order. There is one consumer; the stream ends with `close()`.
    var events: AsyncStream<RadioEvent> { get }

    /// Claims the radio for these beacons.
    /// - Parameter waits: whether to wait for a radio that is not usable yet instead of failing.
    /// - Returns: what the radio can do.
    /// - Throws: `RadioError` when it is not usable, or cannot carry them all; nothing is on the air then.
    func open(
        _ beacons: [HostedBeacon], waits: Bool,
        attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities

    /// Exchanges the beacons that the radio is claimed for; those that stay are not disturbed.
    /// - Throws: `RadioError` when it cannot carry them all; it carries the old ones then.
    func replan(_ beacons: [HostedBeacon]) async throws(RadioError)

    /// Says what of this beacon should be on the air from now on; `nil` is silence.
    ///
    /// What becomes of it is told by `RadioEvent.advertising` or `.refused`.
    func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) async

    /// Tells the value of a beacon's characteristic to a central, by notification or indication as it wants; `nil` for
    /// all that want either. Whoever wants neither, or is too slow for what it was told before, is told nothing.
    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier,
        to central: String?
    ) async

    /// Asks a central for another timing of its connection; `RadioEvent.connectionUpdated` tells that it agreed.
    func updateConnection(of central: String, to parameters: ConnectionParameters) async

    /// The connection of a central to one of the beacons, over which the beacon uses the central's own attributes. Asked
    /// again, it is the same one.
    /// - Throws: `RadioError` `.refused` when there is no such central, `.unsupported` where the radio cannot.
    func link(to central: String) async throws(RadioError) -> any RemoteLink

    /// Ends a central's connection.
    func disconnect(central: String) async

    /// Has bonds kept; it is called before `open`. Radios whose bonds others keep do without.
    func keepBonds(with keeper: any BondStore) async

    /// Answers what a pairing with a central asks, or takes the pairing back; an answer that nobody waits for is ignored.
    func answerPairing(_ answer: PairingAnswer, of central: String) async

    /// Asks a central for encryption, and with that to pair if it has not.
    func requestSecurity(of central: String) async

    /// Forgets a peer, or all of a beacon's; `RadioEvent.pairing` tells each.
    /// - Returns: how many were forgotten.
    func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) async -> Int

    /// Takes everything off the air and gives the radio back. Nothing of ours remains on it.
    func close() async
}

extension PeripheralRadio {
    /// A radio whose stack leaves timings to the centrals.
    public func updateConnection(of central: String, to parameters: ConnectionParameters) async {}

    /// Refuses: most radios keep a central's attributes to themselves.
    public func link(to central: String) async throws(RadioError) -> any RemoteLink {
        throw RadioError(
            .unsupported, "\(name) gives devices no access to the attributes of a central",
            hint: RadioError.useOwnHost)
    }
}

/// A beacon that a radio is to carry.
public struct HostedBeacon: Hashable, Sendable {
    /// Its name.
    public let identifier: BeaconIdentifier
    /// Its services; empty when nothing connects to it.
    public let services: [GATTService]
    /// What it will advertise first.
    public let advertisement: Advertisement?
    /// Whether it stays on the air while a central is connected to it.
    public let advertisesWhileConnected: Bool
    /// What stays the same over all runs: PROFILE/ID. An address of its own is derived from it.
    public let key: String
    /// Where it is and how strong, where the air is emulated.
    public let site: BeaconSite
    /// How it pairs; `nil` says that it does not.
    public var pairing: PairingSettings?

    /// A beacon of this name with these services.
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

extension PeripheralRadio {
    public func keepBonds(with keeper: any BondStore) async {}
    public func answerPairing(_ answer: PairingAnswer, of central: String) async {}
    public func requestSecurity(of central: String) async {}
    public func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) async -> Int { 0 }
}
