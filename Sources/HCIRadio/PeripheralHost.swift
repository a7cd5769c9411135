// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import HostStack
import Radio

/// The peripheral side of a radio: its beacons, and the centrals that are connected to them.
///
/// On a virtual air, each beacon has a controller of its own with one set; on a real controller, the first free set. The device
/// wants the advertisement in `requested`; the host reports what is sent.
/// `replace` keeps the sets of the beacons that stay, unless the virtual air needs another controller for them. A lost
/// controller ends the connections; the host restores the advertisements when it is back.
///
/// It is a class that lives on the event loop of the radio, because its hosts report events while they are being changed.
final class PeripheralHost {
    /// What the caller must do after `take`.
    enum Effect {
        case none
        /// Wait for the response to a request, then pass it to `respond`.
        case wait(AttributeServerRequest, HostIdentifier, @Sendable () async -> AttributeResponse)
    }

    private let name: String
    private let hosts: ControllerHosts
    /// `nil` on a single controller.
    private let air: VirtualAir?
    private let configuration: Boxed<LEHostConfiguration>
    private let events: RadioEvents
    private var attributes: AttributeResponder?
    private var store = StoredBonds()
    private var beacons: [BeaconIdentifier: CarriedBeacon] = [:]
    private var sets: [ControllerSet: CarriedBeacon] = [:]
    private var centrals = HostCentrals()

    /// The peripheral side of the radio with this name, without beacons.
    init(
        _ name: String, hosts: ControllerHosts, air: VirtualAir?, _ configuration: LEHostConfiguration,
        events: RadioEvents
    ) {
        self.name = name
        self.hosts = hosts
        self.air = air
        self.configuration = Boxed(configuration)
        self.events = events
    }

    /// The number of beacons.
    var count: Int { beacons.count }

    /// Sets what answers the centrals' requests.
    func setAttributes(_ attributes: @escaping AttributeResponder) { self.attributes = attributes }

    /// Sets the store of the beacons' bonds.
    func setStore(_ store: any BondStore) { self.store = StoredBonds(store) }

    // MARK: - Beacons

    /// A replacement of the beacons that has begun.
    struct Replacement {
        /// The beacons that have to go first, and then those that have to come.
        fileprivate var removed: ArraySlice<BeaconIdentifier>
        fileprivate var definitions: ArraySlice<HostedBeacon>
    }

    /// The number of beacons that are replaced at once.
    private static let part = 128

    /// Replaces the beacons; those in both lists keep their advertising sets. The caller has checked that there is room for all.
    func replace(with definitions: [HostedBeacon]) {
        var replacement = replacement(by: definitions)
        while proceed(&replacement) {}
    }

    /// The same in parts.
    func replacement(by definitions: [HostedBeacon]) -> Replacement {
        let remaining = Set(definitions.map(\.identifier))
        return Replacement(
            removed: beacons.keys.filter { !remaining.contains($0) }.sorted()[...], definitions: definitions[...])
    }

    /// Performs the next part.
    /// - Returns: Whether there are more.
    func proceed(_ replacement: inout Replacement) -> Bool {
        for beacon in replacement.removed.prefix(Self.part) {
            release(beacon)
            air?.forget(beacon)
        }
        let room = Self.part - replacement.removed.prefix(Self.part).count
        replacement.removed = replacement.removed.dropFirst(Self.part)
        for definition in replacement.definitions.prefix(room) {
            let beacon = beacons[definition.identifier]
            if let beacon, air?.needsNewController(beacon.definition, definition) != true {
                change(beacon, to: definition)
            } else {
                air?.place(definition)
                carry(definition)
            }
        }
        replacement.definitions = replacement.definitions.dropFirst(room)
        return !replacement.removed.isEmpty || !replacement.definitions.isEmpty
    }

    /// Whether there is a beacon with this name, with or without power.
    func has(_ beacon: BeaconIdentifier) -> Bool { beacons[beacon] != nil }

    /// Gives a beacon a new advertising set, and requests its advertisement there again.
    private func carry(_ definition: HostedBeacon) {
        let requested = beacons[definition.identifier]?.requested
        release(definition.identifier)
        guard let place = makePlace(for: definition) else { return }
        let beacon = CarriedBeacon(definition, on: place)
        beacons[definition.identifier] = beacon
        sets[place] = beacon
        setServices(of: beacon)
        if definition.pairing != nil { setPairing(of: beacon) }
        guard let requested else { return }
        beacon.requested = requested
        apply(beacon)
    }

    private func change(_ beacon: CarriedBeacon, to definition: HostedBeacon) {
        let former = beacon.definition
        beacon.definition = definition
        if former.tableSource != definition.tableSource { setServices(of: beacon) }
        if former.pairing != definition.pairing { setPairing(of: beacon) }
        if former.pairing?.hidesAddress != definition.pairing?.hidesAddress { apply(beacon) }
        air?.setMotion(of: definition)
    }

    private func makePlace(for definition: HostedBeacon) -> ControllerSet? {
        guard let air else {
            return AdvertisingSetIdentifier.range.lazy.compactMap(AdvertisingSetIdentifier.init)
                .map { ControllerSet(host: .only, set: $0) }.first { sets[$0] == nil }
        }
        guard let set = AdvertisingSetIdentifier(0) else { return nil }
        let (identifier, host) = hosts.add(configuration)
        air.start(host, for: definition)
        return ControllerSet(host: identifier, set: set)
    }

    private func release(_ beacon: BeaconIdentifier) {
        guard let place = beacons.removeValue(forKey: beacon)?.place else { return }
        sets[place] = nil
        if air != nil {
            for central in centrals.centrals(of: beacon) {
                end(central.link.connection, on: central.link.host, "the beacon is gone")
            }
            hosts.remove(place.host)
        } else {
            hosts[place.host]?.change { host in
                host.stopAdvertising(place.set)
                host.setPairing(nil, for: place.set)
                host.setBonds([], for: place.set)
            }
        }
    }

    /// Sets the attribute table of a beacon, for current and future connections.
    private func setServices(of beacon: CarriedBeacon) {
        let (database, place) = (beacon.definition.tableSource.database, beacon.place)
        hosts[place.host]?.change(
            { $0.setDatabase(database, for: place.set) },
            then: { ended in
                // These handles are of the former table; the handles in later events are of the new table.
                for subscription in ended {
                    subscribed(subscription.connection, on: place.host, to: subscription.handle, [])
                }
                beacon.characteristics = database.map(CharacteristicHandles.init)
            })
    }

    /// Sets the requested advertisement of a beacon.
    func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) {
        guard let beacon = beacons[beacon], beacon.requested != advertisement else { return }
        beacon.requested = advertisement
        apply(beacon)
    }

    private func apply(_ beacon: CarriedBeacon) {
        let (definition, place) = (beacon.definition, beacon.place)
        guard let host = hosts[place.host] else { return }
        guard let advertisement = beacon.requested else {
            host.change { $0.stopAdvertising(place.set) }
            return
        }
        let address = ownAddress(advertisement.address, of: definition, on: host)
        host.change {
            $0.setAdvertising(
                advertisement, for: place.set, address: address, whileConnected: definition.advertisesWhileConnected)
        }
    }

    /// The address that identifies the beacon, or private addresses of it if the beacon hides it.
    private func ownAddress(
        _ requested: BluetoothAddress?, of beacon: HostedBeacon, on host: ControllerHost
    ) -> OwnAddress {
        let identity = identityAddress(requested, of: beacon, on: host)
        if beacon.pairing?.hidesAddress == true {
            return .resolvable(
                LocalIdentity(
                    address: identity,
                    resolvingKey: store.resolvingKey(
                        of: beacon.identifier, from: hosts.random(for: beacon.identifier.name))))
        }
        return identity.type == .public ? .publicDevice : .random(identity.address)
    }

    /// The requested address if the controller can have it; else one that is derived from the beacon's key.
    private func identityAddress(
        _ requested: BluetoothAddress?, of beacon: HostedBeacon, on host: ControllerHost
    ) -> PeerAddress {
        guard let requested else { return PeerAddress(.derived(from: beacon.key), type: .random) }
        if requested.isStaticRandom { return PeerAddress(requested, type: .random) }
        // On a virtual air the controller has the public address of the profile.
        let isOfController = air != nil || requested == host.read { $0.capabilities?.address }
        return isOfController
            ? PeerAddress(requested, type: .public) : PeerAddress(.derived(from: beacon.key), type: .random)
    }

    // MARK: - Centrals

    /// Notifies the subscribed centrals of a value, or only one of them.
    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) {
        guard let handle = beacons[beacon]?.characteristics?.handle(of: characteristic) else { return }
        for entry in centrals.centrals(of: beacon) where (central ?? entry.name) == entry.name {
            hosts[entry.link.host]?.change { $0.notify(value, of: handle, to: entry.link.connection) }
        }
    }

    /// Requests other connection parameters of a central.
    func updateConnection(of central: String, to parameters: ConnectionParameters) {
        change(central) { $0.updateConnection($1, to: parameters) }
    }

    /// Ends the connection of a central.
    func disconnect(_ central: String, reason: HCIStatus = .remoteUserTerminatedConnection) {
        change(central) { $0.disconnect($1, reason: reason) }
    }

    /// Answers the question of a pairing with a central.
    func answerPairing(_ answer: PairingAnswer, of central: String) { change(central) { $0.answer(answer, of: $1) } }

    /// Requests encryption of a central.
    func requestSecurity(of central: String) { change(central) { $0.pair($1) } }

    private func change(_ central: String, _ body: (inout LEHost, ConnectionIdentifier) -> Void) {
        guard let link = centrals[central]?.link else { return }
        hosts[link.host]?.change { body(&$0, link.connection) }
    }

    /// The link to a central; `nil` if it is not connected.
    func link(to central: String) -> HCIRemoteLink? { centrals[central]?.link }

    /// The link of a connection; `nil` if it is not one of a central to a beacon.
    func link(of connection: ConnectionIdentifier, on host: HostIdentifier) -> HCIRemoteLink? {
        centrals.central(connection, on: host)?.link
    }

    /// Requests encryption of the central at the other end of a link.
    /// - Returns: whether it is encrypted already.
    /// - Throws: `RemoteError` `.impossible` for links of other kinds and beacons that do not pair.
    func secure(_ link: HCIRemoteLink) throws(RemoteError) -> Bool {
        guard let central = centrals.central(link.connection, on: link.host), let host = hosts[link.host] else {
            throw .impossible("only a central's connection to a beacon can be secured by this side")
        }
        guard beacons[central.beacon]?.definition.pairing != nil else {
            throw .impossible("the beacon's profile has no pairing settings")
        }
        return host.read { host in
            host.currentConnections.first { $0.id == link.connection }?.security.isEncrypted ?? false
        }
    }

    /// Requests encryption over a link.
    func requestSecurity(over link: HCIRemoteLink) { hosts[link.host]?.change { $0.pair(link.connection) } }

    /// Responds to a request that took time.
    func respond(to request: AttributeServerRequest, on host: HostIdentifier, _ response: AttributeResponse) {
        hosts[host]?.change { $0.respond(to: request.token, of: request.connection, with: response) }
    }

    // MARK: - Faults

    /// Cuts or restores the power of a beacon's controller on the virtual air.
    func setPowered(_ isPowered: Bool, _ beacon: BeaconIdentifier) {
        guard let carried = beacons[beacon], air?.setPowered(isPowered, beacon) == true else { return }
        if isPowered {
            carry(carried.definition)
        } else {
            for central in centrals.centrals(of: beacon) {
                end(central.link.connection, on: central.link.host, "the beacon has no power")
            }
            stop(carried)
        }
    }

    /// Cuts the power of all controllers on the virtual air, and reports the loss.
    func powerOff(_ error: RadioError) {
        lose(error)
        // In an order that is the same in each run: the next controllers reuse the numbers of these.
        for beacon in beacons.values.sorted(by: { $0.identifier < $1.identifier }) { stop(beacon) }
    }

    /// Restores the power: the beacons get new controllers, and advertise what was requested last.
    func powerOn() {
        for beacon in beacons.values.sorted(by: { $0.identifier < $1.identifier }) { carry(beacon.definition) }
    }

    /// Removes the controller of a beacon, without notice to its peers.
    private func stop(_ beacon: CarriedBeacon) { hosts.remove(beacon.place.host) }

    // MARK: - The end

    /// Stops all beacons on a controller that other programs use afterwards, and waits for that, for a second at most.
    func stopAll() async {
        guard let host = hosts[.only], !beacons.isEmpty else { return }
        for beacon in beacons.values { host.change { $0.stopAdvertising(beacon.place.set) } }
        for central in centrals.all { host.change { $0.disconnect(central.link.connection) } }
        for _ in 0..<20 where !host.isIdle { try? await Task.sleep(for: .milliseconds(50)) }
    }

    /// Reports that the controller is lost: all connections and advertisements have ended.
    func lose(_ error: RadioError) {
        for central in centrals.removeAll() {
            central.link.end(error.message)
            events.yield(.disconnected(central.beacon, central: central.name))
        }
        for (beacon, _) in beacons.filter({ $1.requested != nil }).sorted(by: { $0.key < $1.key }) {
            events.yield(.stopped(beacon, reason: error.message))
        }
    }

    /// Ends all links, because the radio is closing.
    func endLinks(_ reason: String) {
        for central in centrals.all { central.link.end(reason) }
    }

    /// Releases the links and the responder, which may own the radio.
    func releaseAll() {
        _ = centrals.removeAll()
        attributes = nil
    }

    // MARK: - Events of the hosts

    /// Takes an event of a host.
    /// - Parameter radio: the radio of new links.
    func take(_ event: LEHostEvent, of host: HostIdentifier, for radio: any HostStackRadio) -> Effect {
        switch event {
        case .attributeRequest(let request): return answer(request, on: host)
        case .advertising(let set, let effective): report(effective, of: ControllerSet(host: host, set: set))
        case .advertisingStopped(let set, let end): stopped(ControllerSet(host: host, set: set), end)
        case .advertisingFailed(let set, let failure): refused(ControllerSet(host: host, set: set), failure)
        case .connected(let connection): connected(connection, on: host, for: radio)
        case .disconnected(let connection, let reason):
            if let error = PairingError(endOfLink: reason) { report(.failed(error), of: connection.id, on: host) }
            end(connection.id, on: host, "\(reason)", code: reason.rawValue)
        case .connectionUpdated(let connection): connectionUpdated(connection, on: host)
        case .attributeRefused(let connection, let handle, let value, let error):
            refused(connection, on: host, handle, write: value, error)
        case .subscriptionChanged(let connection, _, let handle, _, let configuration):
            subscribed(connection, on: host, to: handle, configuration)
        default: takePairing(event, of: host)
        }
        return .none
    }

    private func report(_ effective: EffectiveAdvertising, of place: ControllerSet) {
        guard let beacon = sets[place], let requested = beacon.requested else { return }
        events.yield(.advertising(beacon.identifier, AdvertisingStatus(effective, for: requested)))
    }

    private func stopped(_ place: ControllerSet, _ end: AdvertisingEnd) {
        guard let beacon = sets[place]?.identifier else { return }
        switch end {
        case .requested: break
        case .connected: events.yield(.stopped(beacon, reason: "a central is connected"))
        case .controller(let status):
            events.yield(.stopped(beacon, reason: "the controller stopped it: \(status)"))
        }
    }

    private func refused(_ place: ControllerSet, _ failure: LEHostFailure) {
        guard let beacon = sets[place]?.identifier else { return }
        // A connection ends: that is a break, not the end of a run.
        if failure.activity == .connection {
            let reason = "the controller does not advertise while it has a connection"
            events.yield(.stopped(beacon, reason: reason))
            events.yield(.warning(beacon, .connectionInTheWay("\(reason) (\(failure))", hint: failure.hint)))
            return
        }
        let quirk = hosts[place.host]?.read { $0.capabilities?.quirk }
        let hint = quirk.map { LEHostFailure.hint(about: $0) } ?? failure.hint
        events.yield(
            .refused(beacon, RadioError(.refused, "\(name) does not advertise \(beacon): \(failure)", hint: hint)))
    }

    private func connected(_ connection: LEConnection, on host: HostIdentifier, for radio: any HostStackRadio) {
        guard let set = connection.advertisingSet, let beacon = sets[ControllerSet(host: host, set: set)] else {
            return
        }
        let peer = RemoteAddress(PeerAddress(connection.peerAddress, type: connection.peerAddressType))
        let link = HCIRemoteLink(peer, connection.id, on: host, radio: radio)
        link.setIdentity(connection.identity)
        let central = centrals.add(link, to: beacon.identifier)
        events.yield(.connected(beacon.identifier, central: central.name))
        if beacon.definition.pairing?.asksOnConnection == true { requestSecurity(over: link) }
        connectionUpdated(connection, on: host)
    }

    private func connectionUpdated(_ connection: LEConnection, on host: HostIdentifier) {
        guard let central = centrals.central(connection.id, on: host) else { return }
        let parameters = ConnectionParameters(
            interval: connection.interval...connection.interval, latency: connection.latency,
            supervisionTimeout: connection.supervisionTimeout)
        events.yield(.connectionUpdated(central.beacon, central: central.name, parameters))
    }

    private func end(
        _ connection: ConnectionIdentifier, on host: HostIdentifier, _ reason: String, code: UInt8? = nil
    ) {
        guard let central = centrals.remove(connection, on: host) else { return }
        central.link.end(reason, code: code)
        events.yield(.disconnected(central.beacon, central: central.name))
    }

    private func subscribed(
        _ connection: ConnectionIdentifier, on host: HostIdentifier, to handle: AttributeHandle,
        _ configuration: ClientCharacteristicConfiguration
    ) {
        guard let (central, characteristic) = characteristic(at: handle, for: connection, on: host) else { return }
        events.yield(.subscribed(central.beacon, central: central.name, characteristic, configuration))
    }

    private func refused(
        _ connection: ConnectionIdentifier, on host: HostIdentifier, _ handle: AttributeHandle, write value: [UInt8]?,
        _ error: ATTError
    ) {
        guard let (central, characteristic) = characteristic(at: handle, for: connection, on: host) else { return }
        let request = AttributeRequest(
            beacon: central.beacon, characteristic: characteristic, central: central.name,
            operation: value.map { .write(offset: 0, value: $0) } ?? .read(offset: 0))
        events.yield(.refusedRequest(request, error))
    }

    private func answer(_ request: AttributeServerRequest, on host: HostIdentifier) -> Effect {
        guard let attributes, let central = centrals.central(request.connection, on: host),
            let attribute = beacons[central.beacon]?.characteristics?.attribute(at: request.handle)
        else {
            respond(to: request, on: host, .failure(.unlikely))
            return .none
        }
        let answer = attributes(
            AttributeRequest(
                beacon: central.beacon, attribute: attribute, central: central.name,
                operation: AttributeRequest.Operation(request.operation), isCommand: request.operation.isCommand))
        switch answer {
        // At once, without a task: most reads are answered from memory.
        case .now(let response): respond(to: request, on: host, response)
        case .later(let response): return .wait(request, host, response)
        }
        return .none
    }

    private func characteristic(
        at handle: AttributeHandle, for connection: ConnectionIdentifier, on host: HostIdentifier
    ) -> (HostCentrals.Entry, CharacteristicIdentifier)? {
        guard let central = centrals.central(connection, on: host),
            let characteristic = beacons[central.beacon]?.characteristics?.characteristic(at: handle)
        else { return nil }
        return (central, characteristic)
    }

    // MARK: - Pairing

    /// Sets how a beacon pairs, and its bonds.
    private func setPairing(of beacon: CarriedBeacon) {
        let place = beacon.place
        let settings = beacon.definition.pairing
        let bonds = settings == nil ? [] : store.bonds(of: beacon.identifier)
        hosts[place.host]?.change { host in
            // Peers are accepted by the answer to `.pairingRequested`, which is also reported as the start of a pairing.
            host.setPairing(settings, acceptance: .ask, for: place.set)
            host.setBonds(bonds, for: place.set)
        }
    }

    private func takePairing(_ event: LEHostEvent, of host: HostIdentifier) {
        switch event {
        case .pairingRequested(let connection):
            report(.began, of: connection, on: host)
            hosts[host]?.change { $0.replyPairing(true, of: connection) }
        case .displayPasskey(let connection, let passkey): report(.passkeyShown(passkey), of: connection, on: host)
        case .passkeyWanted(let connection): report(.passkeyWanted, of: connection, on: host)
        case .comparisonWanted(let connection, let number):
            report(.comparisonWanted(number), of: connection, on: host)
        case .confirmationWanted(let connection): report(.confirmationWanted, of: connection, on: host)
        case .paired(let connection, let bond, let isBonded): paired(connection, bond, isBonded: isBonded, on: host)
        case .pairingFailed(let connection, let error): failed(error, connection, on: host)
        case .encryptionFailed(let connection, let failure): failed(failure.error, connection, on: host)
        case .securityChanged(let connection, let security):
            guard security.isEncrypted else { return }
            let identity = hosts[host]?.read { $0.currentConnections.first { $0.id == connection }?.identity }
            link(of: connection, on: host)?.setIdentity(identity ?? nil)
            link(of: connection, on: host)?.finishSecuring(.success(()))
            report(.encrypted(LinkProtection(security)), of: connection, on: host)
        // If the bond of a pairing in progress cannot be saved, `paired` tries again.
        case .bondChanged(let set?, _), .bondWithdrawn(let set?, _):
            _ = saveBonds(of: ControllerSet(host: host, set: set))
        case .bondForgotten(let set?, let peer):
            let place = ControllerSet(host: host, set: set)
            guard saveBonds(of: place), let beacon = sets[place] else { return }
            reportForgotten(RemoteAddress(peer), of: beacon.identifier)
        default: break
        }
    }

    private func failed(_ error: PairingError, _ connection: ConnectionIdentifier, on host: HostIdentifier) {
        link(of: connection, on: host)?.finishSecuring(.failure(.notPaired(error)))
        report(.failed(error), of: connection, on: host)
    }

    private func paired(_ connection: ConnectionIdentifier, _ bond: Bond, isBonded: Bool, on host: HostIdentifier) {
        guard let central = centrals.central(connection, on: host), let place = beacons[central.beacon]?.place else {
            return
        }
        // A bond that is not saved is not used: the end of the connection informs the central.
        if isBonded, !saveBonds(of: place) {
            report(.failed(PairingError(.notKept)), of: connection, on: host)
            hosts[host]?.change { host in
                host.removeBond(of: bond.peer, for: place.set)
                host.disconnect(connection)
            }
            return
        }
        if isBonded { central.link.setIdentity(bond.peer) }
        report(.paired(PairedPeer(bond, isBonded: isBonded)), of: connection, on: host)
    }

    /// Saves the bonds that a host has for a beacon.
    /// - Returns: whether they are saved.
    private func saveBonds(of place: ControllerSet) -> Bool {
        guard let beacon = sets[place], let host = hosts[place.host] else { return true }
        return store.save(host.read { $0.bonds(of: place.set) }, of: beacon.identifier)
    }

    /// Forgets the bond with a peer, or all bonds of a beacon.
    /// - Returns: the number of bonds forgotten.
    func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) -> Int {
        guard let place = beacons[beacon]?.place, let host = hosts[place.host] else { return 0 }
        let forgotten = host.read { $0.bonds(of: place.set) }.map(\.peer).filter {
            peer == nil || RemoteAddress($0) == peer
        }
        guard !forgotten.isEmpty else { return 0 }
        host.change { host in
            for peer in forgotten { host.removeBond(of: peer, for: place.set) }
        }
        _ = saveBonds(of: place)
        for peer in forgotten { reportForgotten(RemoteAddress(peer), of: beacon) }
        return forgotten.count
    }

    private func report(_ event: PairingEvent, of connection: ConnectionIdentifier, on host: HostIdentifier) {
        guard let central = centrals.central(connection, on: host) else { return }
        events.yield(.pairing(central.beacon, central: central.name, event))
    }

    private func reportForgotten(_ peer: RemoteAddress, of beacon: BeaconIdentifier) {
        events.yield(.pairing(beacon, central: peer.address.description, .forgotten(peer)))
    }
}
