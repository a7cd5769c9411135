// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import HCI

/// The security manager's channel of one connection (Core 5.4, Vol 3, Part H, 3): one pairing at a time, in its time.
struct SecurityManager: Sendable {
    /// What is to be done.
    enum Output: Hashable, Sendable {
        /// Send this payload on the security manager's channel.
        case send([UInt8])
        /// What the pairing wants: never `.send`.
        case pairing(PairingOutput)
        /// The peripheral wants the link encrypted.
        case securityRequested(AuthenticationRequirements)
    }

    /// How long a peer may take for an answer (Core 5.4, Vol 3, Part H, 3.4).
    static let timeout = Duration.seconds(30)

    /// None or one: connections are many, pairings are few.
    private var sessions: [PairingSession] = []
    private var deadline: Duration?
    /// The owner wants the link encrypted, and the central has not begun.
    private var isRequesting = false
    /// A peer did not answer in time: nothing more goes over this channel.
    private var isClosed = false

    /// When `advance(to:)` has something to do.
    var nextDeadline: Duration? { deadline }
    /// Whether a pairing is under way.
    var isPairing: Bool { !sessions.isEmpty }
    /// Whether the owner waits for something.
    var isBusy: Bool { isPairing || isRequesting }
    /// What the link may be encrypted with now, for the pairing's sake.
    var keyForLink: Octets<16>? { sessions.first?.keyForLink }
    /// What the link offers when it is encrypted with that.
    var securityOfLink: LinkSecurity? { sessions.first?.agreement?.security }

    // MARK: - From the owner

    /// Begins a pairing as initiator, which the owner or the peer wished for.
    mutating func start(_ setup: PairingSetup, at now: Duration) -> [Output] {
        guard !isPairing else { return [] }
        guard !isClosed else { return [.pairing(.failed(.timedOut))] }
        if let wait = setup.wait { return [.pairing(.failed(.tooEarly(retryAfter: wait)))] }
        sessions = [PairingSession(setup)]
        return perform(at: now) { $0.start() }
    }

    /// Asks the central to encrypt the link, or to pair.
    mutating func requestSecurity(_ requirements: AuthenticationRequirements, at now: Duration) -> [Output] {
        guard !isBusy else { return [] }
        guard !isClosed else { return [.pairing(.failed(.timedOut))] }
        isRequesting = true
        deadline = now + Self.timeout
        return [.send(SecurityManagerPDU.securityRequest(requirements).serialized())]
    }

    mutating func replyConsent(_ isGranted: Bool, at now: Duration, random: inout RandomSource) -> [Output] {
        perform(at: now) { $0.replyConsent(isGranted, random: &random) }
    }

    mutating func replyPasskey(_ digits: UInt32?, at now: Duration, random: inout RandomSource) -> [Output] {
        perform(at: now) { $0.replyPasskey(digits, random: &random) }
    }

    mutating func replyComparison(_ areEqual: Bool, at now: Duration) -> [Output] {
        perform(at: now) { $0.replyComparison(areEqual) }
    }

    /// Ends a pairing for the owner, with the reason that fits what it was doing.
    mutating func cancel(at now: Duration) -> [Output] {
        if isRequesting, !isPairing { return giveUpRequest(.cancelled) }
        return perform(at: now) { session in
            let reason: PairingFailedReason =
                switch session.step {
                case .consent: .pairingNotSupported
                case .comparison: .numericComparisonFailed
                default: session.isPasskeyKnown ? .unspecified : .passkeyEntryFailed
                }
            session.send(.pairingFailed(reason))
            session.end(.cancelled)
        }
    }

    // MARK: - From the link

    /// Takes the payload of one frame.
    /// - Parameter setup: what a pairing would begin with; `nil` when there can be none.
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
        guard let setup else { return refuseWithoutPolicy(payload) }
        return receive(pdu, beginning: setup, at: now, random: &random)
    }

    /// The link is encrypted with the key that `keyForLink` told, or the pairing's own.
    mutating func receiveEncryption(at now: Duration, random: inout RandomSource) -> [Output] {
        perform(at: now) { $0.receiveEncryption(random: &random) }
    }

    /// The central did what it was asked for without a pairing.
    mutating func endRequest() {
        guard isRequesting, !isPairing else { return }
        isRequesting = false
        deadline = nil
    }

    /// The pairing ends without a word to the peer.
    mutating func abandon(_ failure: PairingError) -> [Output] {
        if isRequesting, !isPairing { return giveUpRequest(failure) }
        return perform(at: .zero) { $0.end(failure) }
    }

    /// Takes the time.
    mutating func advance(to now: Duration) -> [Output] {
        guard let deadline, deadline <= now else { return [] }
        if isRequesting, !isPairing { return giveUpRequest(.timedOut) }
        isClosed = true
        return abandon(.timedOut)
    }

    private mutating func giveUpRequest(_ failure: PairingError) -> [Output] {
        isRequesting = false
        deadline = nil
        return [.pairing(.failed(failure))]
    }

    /// What begins something, or answers nothing.
    private mutating func receive(
        _ pdu: SecurityManagerPDU?, beginning setup: PairingSetup, at now: Duration, random: inout RandomSource
    ) -> [Output] {
        switch (pdu, setup.role) {
        case (.pairingRequest(let features), .responder):
            if setup.wait != nil { return refuse(.repeatedAttempts) }
            let isWished = isRequesting
            guard setup.acceptance != .never || isWished else { return refuse(.pairingNotSupported) }
            isRequesting = false
            sessions = [PairingSession(setup)]
            deadline = now + Self.timeout
            return perform(at: now) {
                $0.receiveRequest(
                    features, isConsented: setup.acceptance == .always || isWished, random: &random)
            }
        case (.securityRequest(let requirements), .initiator):
            return setup.wait == nil ? [.securityRequested(requirements)] : refuse(.repeatedAttempts)
        case (.pairingFailed(let reason), _): return isRequesting ? giveUpRequest(.rejected(reason)) : []
        case (.pairingRequest, _), (.securityRequest, _), (.unknown, _): return refuse(.commandNotSupported)
        case (nil, _): return refuse(.invalidParameters)
        // It may have been on its way when a pairing ended.
        default: return []
        }
    }

    private func refuse(_ reason: PairingFailedReason) -> [Output] {
        [.send(SecurityManagerPDU.pairingFailed(reason).serialized())]
    }

    /// A device that does not pair says so to who would, and leaves all else alone.
    private func refuseWithoutPolicy(_ payload: [UInt8]) -> [Output] {
        payload.first == 0x01 || payload.first == 0x0B ? refuse(.pairingNotSupported) : []
    }

    /// Has the pairing do something, and takes down what comes of it.
    private mutating func perform(at now: Duration, _ body: (inout PairingSession) -> Void) -> [Output] {
        guard var session = sessions.popLast() else { return [] }
        body(&session)
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
