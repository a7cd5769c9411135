// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import HCI
import HostStack
import Radio

/// The central side of a radio: scanning, connections to devices, pairing with them, and the attributes that they use.
///
/// An attempt to connect is reserved, begun, and ends with a link or a failure; there is one a device at a time. A link
/// exists from the controller's connection event until the connection ends. When the controller is lost, `end` finishes
/// everything, and the radio sets the state to ready again when it is back.
///
/// It is a class that lives on the event loop of the radio, because its host reports events while it is being changed.
final class CentralHost {
    /// Whether an event was one of the central's, and what the radio must do after it.
    enum Outcome {
        case notForCentral
        case taken
        /// Ask the user, then pass the answer to `answer`.
        case ask(ConnectionIdentifier, PairingQuestion, CentralPairings.Asker)
        /// The device requests encryption: get the settings of the handler, then pass them to `answerSecurityRequest`.
        case securityRequested(ConnectionIdentifier, RemoteAddress, SecurityRequestHandler)
    }

    /// Why an attempt to connect failed.
    struct Failure: Error {
        let error: RadioError
        /// Whether the first packets were lost, which happens on a working air; another attempt may succeed.
        var isWorthRepeating = false
    }

    typealias Attempt = CheckedContinuation<Result<HCIRemoteLink, Failure>, Never>

    /// The host: the only one of a radio on one controller, another one on a virtual air.
    let identifier: HostIdentifier
    /// The state of the radio as a receiver.
    let state = ObservedState(
        CentralRadioState.unavailable(RadioError(.refused, "the radio is not open", hint: "open it first")))

    private let name: String
    private let hosts: ControllerHosts
    private let events: RadioEvents
    /// The name under which bonds are stored; `nil` for a central whose bonds last as long as the radio.
    private var owner: BeaconIdentifier?
    private var store = StoredBonds()
    private var sightings: SightingSink?
    private var attempts: [PeerAddress: (number: UInt64, continuation: Attempt?)] = [:]
    private var lastAttempt: UInt64 = 0
    private var links: [ConnectionIdentifier: HCIRemoteLink] = [:]
    private var pairings = CentralPairings()
    private var securityRequests = SecurityRequestHandler.pairing()
    /// The handles of the characteristics that are served to devices.
    private var served: CharacteristicHandles?

    /// The central side of the radio with this name.
    init(
        _ name: String, on identifier: HostIdentifier, of hosts: ControllerHosts,
        events: RadioEvents
    ) {
        self.name = name
        self.identifier = identifier
        self.hosts = hosts
        self.events = events
    }

    private var host: ControllerHost? { hosts[identifier] }

    private func openHost() throws(RadioError) -> ControllerHost {
        guard let host else { throw .closed }
        return host
    }

    /// The host, if its controller can be used.
    private func readyHost() throws(RadioError) -> ControllerHost {
        let host = try openHost()
        if case .unavailable(let error) = state.value { throw error }
        return host
    }

    // MARK: - The host

    /// Sets the store of the central's bonds, and the name that its address is derived from.
    func setStore(_ store: any BondStore, as owner: BeaconIdentifier) {
        self.store = StoredBonds(store)
        self.owner = owner
    }

    /// Sets how the central answers devices that request encryption.
    func setSecurityRequestHandler(_ handler: SecurityRequestHandler) { securityRequests = handler }

    /// Adds the central's host, or returns the one that is there.
    /// - Parameter configuration: the configuration of the radio's hosts. A central with stored bonds has an address of
    ///   its own, by which devices recognise it, whatever the controller's address is.
    func addHost(_ configuration: LEHostConfiguration) -> ControllerHost {
        if let host { return host }
        var configuration = configuration
        if let owner { configuration.centralAddress = .random(.derived(from: "central/\(owner)")) }
        let host = hosts.add(identifier, Boxed(configuration))
        let bonds = owner.map(store.bonds) ?? []
        host.change { host in
            // Each pairing has settings of its own.
            host.setPairing(PairingSettings(), acceptance: .ask, for: nil)
            host.setBonds(bonds, for: nil)
        }
        return host
    }

    /// Ends everything because the radio cannot be used any more.
    func end(_ error: RadioError) {
        for attempt in attempts.values { attempt.continuation?.resume(returning: .failure(Failure(error: error))) }
        attempts = [:]
        pairings.endAll()
        for link in links.values { link.end(error.message) }
        links = [:]
        endScan()
        state.set(.unavailable(error))
    }

    // MARK: - Scanning

    /// Starts a scan; the former one ends.
    /// - Throws: `RadioError`: why the controller cannot be used; `.refused` for settings out of range.
    func scan(_ parameters: ScanParameters) throws(RadioError) -> AsyncStream<Sighting> {
        let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self, bufferingPolicy: .bufferingNewest(4096))
        try scan(parameters, to: SightingSink(receive: { continuation.yield($0) }, end: { continuation.finish() }))
        return stream
    }

    /// Starts a scan whose sightings go to a sink; the former one ends.
    func scan(_ parameters: ScanParameters, to sink: SightingSink) throws(RadioError) {
        let host = try readyHost()
        guard parameters.isValid else {
            throw RadioError(
                .refused, "a scan window of \(parameters.window) in \(parameters.interval) cannot be",
                hint: "take 2.5 ms to 10.24 s, and a window no longer than the interval")
        }
        endScan()
        sightings = sink
        host.change { $0.startScanning(parameters) }
    }

    /// Stops the scan.
    func stopScanning() {
        endScan()
        host?.change { $0.stopScanning() }
    }

    private func endScan() {
        let ended = sightings
        sightings = nil
        ended?.end()
    }

    // MARK: - Connecting

    /// Reserves an attempt to connect to a device.
    /// - Returns: its number.
    /// - Throws: `RadioError`: why the controller cannot be used; `.refused` if there is one already.
    func reserveAttempt(to device: RemoteAddress) throws(RadioError) -> UInt64 {
        _ = try readyHost()
        let peer = PeerAddress(device)
        guard attempts[peer] == nil else {
            throw RadioError(.refused, "\(device) is being connected to already", hint: "wait for that")
        }
        lastAttempt += 1
        attempts[peer] = (lastAttempt, nil)
        return lastAttempt
    }

    /// Begins a reserved attempt.
    /// - Parameter continuation: gets the result.
    func connect(to device: RemoteAddress, within timeout: Duration, _ continuation: Attempt) {
        let peer = PeerAddress(device)
        attempts[peer]?.continuation = continuation
        host?.change { $0.connect(to: peer.address, type: peer.type, timeout: timeout) }
    }

    /// Cancels an attempt that has not ended.
    func cancelAttempt(_ number: UInt64, to device: RemoteAddress) {
        let peer = PeerAddress(device)
        guard attempts[peer]?.number == number else { return }
        host?.change { $0.cancelConnecting(to: peer.address, type: peer.type) }
    }

    private func connected(_ connection: LEConnection, for radio: any HostStackRadio) {
        let peer = PeerAddress(connection.peerAddress, type: connection.peerAddressType)
        guard let attempt = removeAttempt(for: peer, identity: connection.identity) else {
            host?.change { $0.disconnect(connection.id) }
            return
        }
        let link = HCIRemoteLink(RemoteAddress(peer), connection.id, on: identifier, radio: radio)
        link.setIdentity(connection.identity)
        links[connection.id] = link
        attempt.continuation?.resume(returning: .success(link))
    }

    /// Removes the attempt that a connection is the result of. It may have been requested with another address of the same peer.
    private func removeAttempt(
        for peer: PeerAddress, identity: PeerAddress?
    ) -> (number: UInt64, continuation: Attempt?)? {
        if let attempt = attempts.removeValue(forKey: peer) { return attempt }
        guard let identity, let host else { return nil }
        let requested = attempts.keys.first { key in host.read { $0.identity(of: key) } == identity }
        return requested.flatMap { attempts.removeValue(forKey: $0) }
    }

    private func connectionFailed(_ peer: PeerAddress, _ failure: LEHostFailure) {
        let hint: String? =
            switch failure {
            case .timedOut, .cancelled, .connection: nil
            default: failure.hint
            }
        let error = RadioError(
            .refused, "no connection to \(peer.address): \(failure)",
            hint: hint ?? "check that it advertises, is connectable and in range")
        let isWorthRepeating = failure == .connection(.connectionFailedToBeEstablished)
        attempts.removeValue(forKey: peer)?.continuation?.resume(
            returning: .failure(Failure(error: error, isWorthRepeating: isWorthRepeating)))
    }

    private func disconnected(_ connection: ConnectionIdentifier, _ reason: HCIStatus) {
        pairings.end(connection, PairingError(endOfLink: reason) ?? PairingError(.disconnected))
        links.removeValue(forKey: connection)?.end(
            "\(reason)", code: reason.rawValue, wasEstablished: reason != .connectionFailedToBeEstablished)
    }

    /// The link of a connection; `nil` if it is not one of the central's.
    func link(of connection: ConnectionIdentifier) -> HCIRemoteLink? { links[connection] }

    // MARK: - Serving

    /// Sets the attributes of the central.
    func serve(_ attributes: ServedAttributes?) throws(RadioError) {
        let host = try openHost()
        var database: AttributeDatabase?
        if let attributes {
            do throws(AttributeDatabaseError) {
                database = try AttributeDatabase(
                    services: attributes.services, genericAccess: GenericAccess(name: attributes.name))
            } catch {
                throw RadioError(
                    .cannotCarry, "these services make no attribute table: \(error)", hint: "declare fewer")
            }
        }
        served = database.map(CharacteristicHandles.init)
        host.change { [database] in $0.setCentralDatabase(database) }
    }

    /// Notifies a device of a value.
    /// - Returns: whether it is subscribed and accepts the value now.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier, over link: HCIRemoteLink) -> Bool {
        guard let handle = served?.handle(of: characteristic), let host = hosts[link.host] else { return false }
        var isSent = false
        host.change({ $0.notify(value, of: handle, to: link.connection) }, then: { isSent = $0 })
        return isSent
    }

    private func serve(_ request: AttributeServerRequest, over link: HCIRemoteLink) {
        guard let characteristic = served?.characteristic(at: request.handle) else {
            host?.change { $0.respond(to: request.token, of: request.connection, with: .failure(.unlikely)) }
            return
        }
        link.yield(
            .request(
                ServedRequest(
                    number: request.token.rawValue, characteristic: characteristic,
                    operation: AttributeRequest.Operation(request.operation))))
    }

    // MARK: - Pairing

    /// The reason why a connection cannot be paired now; `nil` if it can.
    func obstacleToPairing(_ connection: ConnectionIdentifier) -> PairingError? {
        guard host != nil, links[connection] != nil else { return PairingError(.disconnected) }
        return pairings.isRequested(on: connection) ? PairingError(.busy) : nil
    }

    /// Whether there is a bond with the device of a connection.
    func isBonded(_ connection: ConnectionIdentifier) -> Bool {
        guard let host, let device = links[connection]?.device else { return false }
        return host.read { $0.identity(of: PeerAddress(device)) } != nil
    }

    /// Encrypts a connection: with the keys of a bond if it meets the settings, else by pairing; after a pairing that the
    /// device requested, if there is one.
    func pair(
        _ connection: ConnectionIdentifier, _ settings: PairingSettings, ask: @escaping CentralPairings.Asker,
        _ continuation: CentralPairings.Continuation
    ) {
        if pairings.begin(connection, settings, ask: ask, continuation) { encrypt(connection, settings) }
    }

    private func encrypt(_ connection: ConnectionIdentifier, _ settings: PairingSettings) {
        host?.change(
            { host in
                host.pair(connection, settings)
                return host.isPairing(connection)
            }, then: { pairings.setMakesKeys($0, on: connection) })
    }

    /// Answers a device that requests encryption.
    /// - Parameter settings: how to pair; `nil` refuses.
    func answerSecurityRequest(
        _ settings: PairingSettings?, on connection: ConnectionIdentifier, _ handler: SecurityRequestHandler
    ) {
        // A pairing that began meanwhile is the answer.
        guard let link = links[connection], !pairings.isActive(on: connection) else { return }
        let device = link.identity ?? link.device
        guard let settings else {
            host?.change { $0.replyPairing(false, of: connection) }
            return
        }
        _ = pairings.begin(connection, settings, ask: { await handler.answer(device, $0) }, nil)
        pairings.setMakesKeys(true, on: connection)
        host?.change { $0.replyPairing(true, of: connection, settings) }
    }

    /// Ends a pairing, and begins the one that waits for its end.
    private func finish(_ connection: ConnectionIdentifier, _ result: Result<LinkProtection, PairingError>) {
        links[connection]?.report(result)
        if let next = pairings.finish(connection, result) { encrypt(connection, next) }
    }

    /// Cancels a pairing that has not ended.
    func cancelPairing(_ connection: ConnectionIdentifier) {
        guard !pairings.cancelWaiting(on: connection), pairings.isRequested(on: connection) else { return }
        host?.change { $0.cancelPairing(of: connection) }
    }

    /// Passes the user's answer to a question.
    func answer(_ answer: PairingAnswer, to question: PairingQuestion, on connection: ConnectionIdentifier) {
        // A passkey that is shown has no answer, but the user may cancel.
        if case .showPasskey = question, answer != .cancel { return }
        host?.change { $0.answer(answer, of: connection) }
    }

    /// Forgets the bond with a device.
    func forgetBond(with device: RemoteAddress) {
        let peer = PeerAddress(device)
        host?.change { $0.removeBond(of: $0.identity(of: peer) ?? peer, for: nil) }
        _ = saveBonds()
    }

    private func saveBonds() -> Bool {
        guard let owner, let host else { return true }
        return store.save(host.read { $0.bonds(of: nil) }, of: owner)
    }

    private func ask(_ question: PairingQuestion, on connection: ConnectionIdentifier) -> Outcome {
        switch pairings.reply(to: question, on: connection) {
        case .ask(let asker): return .ask(connection, question, asker)
        case .answer(let answer):
            host?.change { $0.answer(answer, of: connection) }
            return .taken
        }
    }

    private func paired(_ connection: ConnectionIdentifier, _ bond: Bond, isBonded: Bool) {
        // A bond that is not saved is not used: the end of the connection informs the device.
        guard !isBonded || saveBonds() else {
            links[connection]?.report(.failure(PairingError(.notKept)))
            pairings.end(connection, PairingError(.notKept))
            host?.change { host in
                host.removeBond(of: bond.peer, for: nil)
                host.disconnect(connection)
            }
            return
        }
        if isBonded { links[connection]?.setIdentity(bond.peer) }
        finish(
            connection,
            .success(
                LinkProtection(isAuthenticated: bond.isAuthenticated, keySize: bond.keySize, isBonded: isBonded)))
    }

    /// The connection is encrypted, or has a new key.
    private func encrypted(_ connection: ConnectionIdentifier, _ security: LinkSecurity) {
        // With new keys, `paired` follows.
        guard !pairings.makesKeys(on: connection) else { return }
        // A device's request may have used the keys of a bond that does not meet the settings.
        if let settings = pairings.settings(of: connection), !settings.isMet(by: security) {
            return encrypt(connection, settings)
        }
        let peer = links[connection].map { PeerAddress($0.device) }
        let isBonded = peer.flatMap { peer in host?.read { $0.identity(of: peer) } } != nil
        finish(connection, .success(LinkProtection(security, isBonded: isBonded)))
    }

    // MARK: - Events of the host

    /// Takes an event of the central's host.
    /// - Parameter radio: the radio of new links.
    func take(_ event: LEHostEvent, for radio: any HostStackRadio) -> Outcome {
        switch event {
        case .scanReport(let report, let identity): receive(report, identity: identity)
        case .scanFailed(let failure):
            events.yield(.lost(RadioError(.refused, "\(name) does not scan: \(failure)", hint: failure.hint)))
            endScan()
        case .scanHeld(let failure):
            events.yield(
                .warning(
                    nil,
                    .connectionInTheWay(
                        "\(name) does not scan while it has a connection (\(failure)); the scan continues after it",
                        hint: failure.hint)))
        case .connected(let connection) where connection.role == .central: connected(connection, for: radio)
        case .connectionFailed(let peer, let failure): connectionFailed(peer, failure)
        case .disconnected(let connection, let reason) where connection.role == .central:
            disconnected(connection.id, reason)
        case .attributeRequest(let request):
            guard let link = links[request.connection] else { return .notForCentral }
            serve(request, over: link)
        case .subscriptionChanged(let connection, _, let handle, _, let configuration):
            guard let link = links[connection] else { return .notForCentral }
            guard let characteristic = served?.characteristic(at: handle) else { break }
            link.yield(.subscribed(characteristic, configuration))
        case .bondChanged(nil, _), .bondWithdrawn(nil, _), .bondForgotten(nil, _): _ = saveBonds()
        default: return takePairing(event)
        }
        return .taken
    }

    /// Takes a report of the scan.
    /// - Parameter identity: the device that a private address belongs to; `nil` if it is not known.
    func receive(_ report: ScanReport, identity: PeerAddress?) {
        sightings?.receive(Sighting(report, identity: identity))
    }

    private func takePairing(_ event: LEHostEvent) -> Outcome {
        switch event {
        case .pairingRequested(let connection):
            guard let link = links[connection] else { return .notForCentral }
            // Its first answer may be this request, and the others wait for the pairing.
            link.noteEstablished()
            return .securityRequested(connection, link.identity ?? link.device, securityRequests)
        case .displayPasskey(let connection, let passkey) where links[connection] != nil:
            return ask(.showPasskey(passkey), on: connection)
        case .passkeyWanted(let connection) where links[connection] != nil: return ask(.passkey, on: connection)
        case .comparisonWanted(let connection, let number) where links[connection] != nil:
            return ask(.comparison(number), on: connection)
        case .confirmationWanted(let connection) where links[connection] != nil:
            return ask(.confirmation, on: connection)
        case .paired(let connection, let bond, let isBonded) where links[connection] != nil:
            paired(connection, bond, isBonded: isBonded)
        case .securityChanged(let connection, let security) where links[connection] != nil:
            links[connection]?.noteEstablished()
            if security.isEncrypted { encrypted(connection, security) }
        case .pairingFailed(let connection, let error) where links[connection] != nil:
            finish(connection, .failure(error))
        case .encryptionFailed(let connection, let failure) where links[connection] != nil:
            finish(connection, .failure(failure.error))
        default: return .notForCentral
        }
        return .taken
    }
}

extension PairingSettings {
    /// Whether an encrypted connection meets the requirements, as far as it shows.
    fileprivate func isMet(by security: LinkSecurity) -> Bool {
        (!requiresAuthentication || security.isAuthenticated) && security.keySize >= minimumKeySize
    }
}

extension RadioError {
    /// The error of calls to a radio that was closed.
    static let closed = RadioError(.refused, "the radio was closed", hint: "open it again")
}
