// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The security manager of one connection (Core 5.4, Vol 3, Part H, 3): at most one pairing at a time, with its time limit.
///
/// It is idle, or a `PairingSession` is in progress, or a peripheral has sent a Security Request and waits for the central
/// to encrypt or pair. Each has 30 seconds for the next PDU of the peer. After a pairing times out the channel is closed for
/// the rest of the connection.
struct SecurityManager: Sendable {
    /// An output of the security manager.
    enum Output: Hashable, Sendable {
        /// Send this payload on the security manager's channel.
        case send([UInt8])
        /// An output of the pairing; never `.send`.
        case pairing(PairingOutput)
        /// The peripheral requests encryption.
        case securityRequested(AuthenticationRequirements)
    }

    /// The time limit for each PDU of the peer (Core 5.4, Vol 3, Part H, 3.4).
    static let timeout = Duration.seconds(30)

    /// A boxed optional: a pairing is large, and most connections have none.
    private var sessions: [PairingSession] = []
    private var deadline: Duration?
    /// A Security Request was sent, and the central has not answered it.
    private var isRequesting = false
    /// A pairing timed out: this channel can no longer be used.
    private var isClosed = false

    /// The next time at which `advance(to:)` must be called.
    var nextDeadline: Duration? { deadline }
    /// Whether a pairing is in progress.
    var isPairing: Bool { !sessions.isEmpty }
    /// Whether a pairing or a Security Request is in progress.
    var isBusy: Bool { isPairing || isRequesting }
    /// The key of the pairing in progress that the link may be encrypted with now.
    var keyForLink: Octets<16>? { sessions.first?.keyForLink }
    /// The security of the link once it is encrypted with that key.
    var securityOfLink: LinkSecurity? { sessions.first?.agreement?.security }

    // MARK: - The owner

    /// Starts a pairing as initiator.
    mutating func start(_ setup: PairingSetup, at now: Duration) -> [Output] {
        guard !isPairing else { return [] }
        guard !isClosed else { return [.pairing(.failed(.timedOut))] }
        if let wait = setup.wait { return [.pairing(.failed(.tooEarly(retryAfter: wait)))] }
        sessions = [PairingSession(setup)]
        return perform(at: now) { $0.start() }
    }

    /// Requests the central to encrypt the link, or to pair.
    mutating func requestSecurity(_ requirements: AuthenticationRequirements, at now: Duration) -> [Output] {
        guard !isBusy else { return [] }
        guard !isClosed else { return [.pairing(.failed(.timedOut))] }
        isRequesting = true
        deadline = now + Self.timeout
        return [.send(SecurityManagerPDU.securityRequest(requirements).serialized())]
    }

    /// Takes the owner's answer to `.consentWanted`.
    mutating func replyConsent(_ isGranted: Bool, at now: Duration, random: inout RandomSource) -> [Output] {
        perform(at: now) { $0.replyConsent(isGranted, random: &random) }
    }

    /// Takes the passkey that the user entered, 0 to 999,999; `nil` if the user entered none.
    mutating func replyPasskey(_ digits: UInt32?, at now: Duration, random: inout RandomSource) -> [Output] {
        perform(at: now) { $0.replyPasskey(digits, random: &random) }
    }

    /// Takes the user's answer whether both devices show the same number, or whether to pair.
    mutating func replyComparison(_ areEqual: Bool, at now: Duration, random: inout RandomSource) -> [Output] {
        perform(at: now) { $0.replyComparison(areEqual, random: &random) }
    }

    /// Cancels the pairing or the Security Request in progress.
    mutating func cancel(at now: Duration) -> [Output] {
        if isRequesting, !isPairing { return endRequest(.cancelled) }
        return perform(at: now) { $0.cancel() }
    }

    // MARK: - The link

    /// Takes the payload of one frame.
    /// - Parameter setup: the start conditions of a pairing; `nil` if this device does not pair in this role.
    mutating func receive(
        _ payload: [UInt8], setup: PairingSetup?, at now: Duration, random: inout RandomSource
    ) -> [Output] {
        guard !isClosed, !payload.isEmpty else { return [] }
        let pdu = try? SecurityManagerPDU(parsing: payload)
        if isPairing {
            if case .keypressNotification = pdu { deadline = now + Self.timeout }
            return perform(at: now) { session in
                guard let pdu else { return session.receiveMalformed() }
                session.receive(pdu, random: &random)
            }
        }
        guard let setup else { return refuseWithoutSettings(payload) }
        return receive(pdu, setup: setup, at: now, random: &random)
    }

    /// The link is encrypted with `keyForLink`, or with the key of `.encrypt`.
    mutating func receiveEncryption(at now: Duration, random: inout RandomSource) -> [Output] {
        perform(at: now) { $0.receiveEncryption(random: &random) }
    }

    /// The central has encrypted the link without a pairing.
    /// - Returns: whether that was requested.
    mutating func endRequest() -> Bool {
        guard isRequesting, !isPairing else { return false }
        isRequesting = false
        deadline = nil
        return true
    }

    /// Ends the pairing or the Security Request in progress without sending anything.
    mutating func abandon(_ error: PairingError) -> [Output] {
        if isRequesting, !isPairing { return endRequest(error) }
        return perform(at: .zero) { $0.end(error) }
    }

    /// Ends a pairing or a Security Request that the peer has not answered in time.
    mutating func advance(to now: Duration) -> [Output] {
        guard let deadline, deadline <= now else { return [] }
        if isRequesting, !isPairing { return endRequest(.timedOut) }
        isClosed = true
        return abandon(.timedOut)
    }

    private mutating func endRequest(_ error: PairingError) -> [Output] {
        isRequesting = false
        deadline = nil
        return [.pairing(.failed(error))]
    }

    /// Takes a PDU that belongs to no pairing.
    private mutating func receive(
        _ pdu: SecurityManagerPDU?, setup: PairingSetup, at now: Duration, random: inout RandomSource
    ) -> [Output] {
        switch (pdu, setup.role) {
        case (.pairingRequest(let features), .responder):
            if setup.wait != nil { return refuse(.repeatedAttempts) }
            let isRequested = isRequesting
            guard setup.acceptance != .never || isRequested else { return refuse(.pairingNotSupported) }
            isRequesting = false
            sessions = [PairingSession(setup)]
            deadline = now + Self.timeout
            return perform(at: now) {
                $0.receiveRequest(
                    features, isConsented: setup.acceptance == .always || isRequested, random: &random)
            }
        case (.securityRequest(let requirements), .initiator):
            return setup.wait == nil ? [.securityRequested(requirements)] : refuse(.repeatedAttempts)
        case (.pairingFailed(let reason), _): return isRequesting ? endRequest(.rejected(reason)) : []
        case (.pairingRequest, _), (.securityRequest, _), (.unknown, _): return refuse(.commandNotSupported)
        case (nil, _): return refuse(.invalidParameters)
        // The PDU may have been sent before the peer learned that the pairing ended.
        default: return []
        }
    }

    private func refuse(_ reason: PairingFailedReason) -> [Output] {
        [.send(SecurityManagerPDU.pairingFailed(reason).serialized())]
    }

    /// A device that does not pair refuses Pairing Requests and Security Requests, and ignores all other PDUs.
    private func refuseWithoutSettings(_ payload: [UInt8]) -> [Output] {
        payload.first == 0x01 || payload.first == 0x0B ? refuse(.pairingNotSupported) : []
    }

    /// Gives the pairing an input, and returns its outputs.
    private mutating func perform(at now: Duration, _ input: (inout PairingSession) -> Void) -> [Output] {
        guard var session = sessions.popLast() else { return [] }
        input(&session)
        let outputs = session.takeOutputs().map { output in
            if case .send(let pdu) = output { Output.send(pdu.serialized()) } else { Output.pairing(output) }
        }
        if session.isOver {
            deadline = nil
        } else {
            sessions = [session]
            if outputs.contains(where: { if case .send = $0 { true } else { false } }) { deadline = now + Self.timeout }
        }
        return outputs
    }
}

/// The waiting times of peers whose pairings failed (Core 5.4, Vol 3, Part H, 2.3.6).
struct AttemptLog: Sendable {
    private struct Entry: Sendable {
        let peer: PeerAddress
        var interval: Duration
        var end: Duration
    }

    /// The waiting time after the first failure; each further failure doubles it.
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(64)
    /// The number of peers that are remembered.
    private static let capacity = 32

    private var entries: [Entry] = []

    /// The time that a peer must still wait; `nil` if it need not wait.
    func wait(of peer: PeerAddress, at now: Duration) -> Duration? {
        entries.first { $0.peer == peer && $0.end > now }.map { $0.end - now }
    }

    /// A pairing with this peer failed.
    mutating func note(_ peer: PeerAddress, at now: Duration) {
        // A peer that has made no attempt for twice its waiting time starts anew.
        entries.removeAll { $0.end + $0.interval <= now }
        let interval = entries.first { $0.peer == peer }.map { min($0.interval * 2, Self.longest) } ?? Self.shortest
        entries.removeAll { $0.peer == peer }
        if entries.count >= Self.capacity { entries.removeFirst() }
        entries.append(Entry(peer: peer, interval: interval, end: now + interval))
    }

    /// A pairing with this peer succeeded.
    mutating func forget(_ peer: PeerAddress) { entries.removeAll { $0.peer == peer } }
}
