// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio

/// The session of a client of advertisements with a proxy, as a state machine: it takes the bytes of the proxy and the time,
/// and returns what is to be done.
///
///     handshake → greeting → description (→ capabilities) → ready → leaving
///
/// Each answer is due within a limit. In `ready`, the client may subscribe: a proxy that reports the state of its scanner does
/// so when it accepts the subscription; of older ones, the acceptance is assumed. Pings of the proxy are answered in every
/// state, and a proxy that is silent is pinged. Times are since the start of the session.
struct ClientSession {
    /// Time limits.
    struct Limits: Hashable, Sendable {
        /// Until the system connects.
        var connecting = Duration.seconds(5)
        /// Until each answer.
        var answer = Duration.seconds(10)
        /// The silence after which the proxy is pinged, again and again.
        var ping = Duration.seconds(20)
        /// The silence after which the proxy is lost.
        var silence = Duration.seconds(60)
        /// Until the proxy agrees to the end of the session.
        var leaving = Duration.seconds(2)
        /// The time between two calls of `tick`.
        var tick = Duration.milliseconds(500)
    }

    /// What is to be done.
    enum Action: Hashable {
        /// Bytes to send.
        case send([UInt8])
        /// It is a Bluetooth proxy, and the session is ready.
        case ready(ProxyIdentity)
        /// The subscription is accepted.
        case subscribed
        /// Advertisements.
        case received([Sighting])
        /// The connection is to be closed; without a fault it was the client that left.
        case end(ProxyFault?)
    }

    private enum State: Hashable {
        case handshake
        case greeting
        case description(ProxyGreeting)
        case capabilities(ProxyIdentity)
        case ready
        /// The client has asked for the end, for this reason.
        case leaving(ProxyFault?)
        case ended
    }

    private enum Subscription: Hashable {
        case none
        /// Requested, with the last state of the scanner.
        case requested(ServerMessage.ScannerState?)
        case accepted
    }

    /// The version of the API that is announced: that with the request for capabilities.
    private static let apiVersion: (major: UInt32, minor: UInt32) = (1, 15)
    /// The highest major version that is understood, as of aioesphomeapi.
    private static let highestMajor: UInt32 = 2
    private static let clientInfo = "Beaconry"

    private let limits: Limits
    private var channel: ClientChannel
    private var state = State.handshake
    private var subscription = Subscription.none
    private var features: ProxyIdentity.Features = []
    /// When the answer that is due was requested.
    private var requested = Duration.zero
    /// When the last bytes arrived, and the last ping was sent.
    private var lastInput = Duration.zero
    private var lastPing = Duration.zero
    private var actions: [Action] = []

    /// A session at its beginning.
    /// - Parameter key: the key of the proxy; `nil` for none.
    init(key: EncryptionKey?, limits: Limits = Limits(), ephemeral: [UInt8]? = nil) {
        self.limits = limits
        channel = ClientChannel(key: key, ephemeral: ephemeral)
    }

    // MARK: - Inputs

    /// The connection is there.
    mutating func start(at time: Duration) -> [Action] {
        (requested, lastInput) = (time, time)
        if !channel.opening.isEmpty { actions.append(.send(channel.opening)) }
        takeInputs(at: time)
        return takeActions()
    }

    /// Takes bytes of the proxy.
    mutating func receive(_ bytes: some Sequence<UInt8>, at time: Duration) -> [Action] {
        lastInput = time
        channel.append(bytes)
        takeInputs(at: time)
        return takeActions()
    }

    /// The connection has ended.
    mutating func connectionEnded() -> [Action] {
        switch state {
        case .ended: break
        case .leaving(let reason): end(reason)
        case .ready: end(.ended(isEarly: false))
        case .handshake, .greeting, .description, .capabilities: end(.ended(isEarly: true))
        }
        return takeActions()
    }

    /// Subscribes to advertisements; `subscribed` follows, or the end.
    mutating func subscribe(at time: Duration) -> [Action] {
        guard state == .ready else { return [] }
        send(.subscribeAdvertisements)
        requested = time
        subscription = .requested(nil)
        if !features.contains(.stateAndMode) { accept() }
        return takeActions()
    }

    /// Ends the subscription.
    mutating func unsubscribe() -> [Action] {
        guard state == .ready, subscription != .none else { return [] }
        subscription = .none
        send(.unsubscribeAdvertisements)
        return takeActions()
    }

    /// Ends the session; the end follows.
    mutating func leave(at time: Duration) -> [Action] {
        switch state {
        case .ready: leave(because: nil, at: time)
        case .leaving, .ended: break
        case .handshake, .greeting, .description, .capabilities: end(nil)
        }
        return takeActions()
    }

    /// Checks the limits.
    mutating func tick(at time: Duration) -> [Action] {
        let isOverdue = time - requested >= limits.answer
        switch state {
        case .ended: break
        case .handshake, .greeting, .description, .capabilities: if isOverdue { end(.silent(limits.answer)) }
        case .leaving(let reason): if time - requested >= limits.leaving { end(reason) }
        case .ready:
            if case .requested(let scanner) = subscription, isOverdue {
                leave(because: scanner.map(ProxyFault.notScanning) ?? .subscribed, at: time)
            } else if time - lastInput >= limits.silence {
                end(.silent(limits.silence))
            } else if time - max(lastInput, lastPing) >= limits.ping {
                lastPing = time
                send(.ping)
            }
        }
        return takeActions()
    }

    // MARK: - Messages

    private mutating func takeInputs(at time: Duration) {
        while state != .ended, let input = channel.next() {
            switch input {
            case .ready:
                move(to: .greeting, at: time)
                send(.hello(info: Self.clientInfo, major: Self.apiVersion.major, minor: Self.apiVersion.minor))
                // Versions before 2026 require it, without a password as well.
                send(.authentication)
            case .end(let fault): end(.channel(fault))
            case .message(let type, let body):
                do throws(WireError) {
                    take(try ServerMessage(type: type, body: body), at: time)
                } catch {
                    end(.channel(.malformed("its message of type \(type) is malformed (\(error))")))
                }
            }
        }
    }

    private mutating func take(_ message: ServerMessage, at time: Duration) {
        switch (message, state) {
        case (.ping, _): send(.pong)
        case (.disconnect, .leaving(let reason)):
            send(.disconnected)
            end(reason)
        case (.disconnect, _):
            send(.disconnected)
            end(.left)
        case (.disconnected, .leaving(let reason)): end(reason)
        case (.authenticated(false), _): end(.password)
        case (.hello(let greeting), .greeting):
            guard greeting.major <= Self.highestMajor else { return end(.version(greeting.major)) }
            move(to: .description(greeting), at: time)
            send(.deviceInfo)
        case (.deviceInfo(let identity), .description(let greeting)):
            guard (greeting.major, greeting.minor) >= Self.apiVersion else { return finish(identity, at: time) }
            move(to: .capabilities(identity), at: time)
            send(.capabilities)
        case (.capabilities(let features, let address), .capabilities(let identity)):
            finish(identity.having(features, address), at: time)
        case (.scannerState(let scanner, _, _), .ready):
            guard case .requested = subscription else { return }
            subscription = .requested(scanner)
            if scanner == .running || scanner == .starting { accept() }
        case (.advertisements(let entries), .ready):
            if case .requested = subscription { accept() }
            if subscription == .accepted { actions.append(.received(entries.map(\.sighting))) }
        default: break
        }
    }

    private mutating func move(to state: State, at time: Duration) {
        self.state = state
        requested = time
    }

    private mutating func finish(_ identity: ProxyIdentity, at time: Duration) {
        guard identity.features.contains(.passiveScan) else {
            return leave(because: .notAProxy(identity.name), at: time)
        }
        guard identity.features.contains(.rawAdvertisements) else {
            return leave(because: .parsedOnly(identity.version), at: time)
        }
        features = identity.features
        state = .ready
        actions.append(.ready(identity))
    }

    private mutating func leave(because reason: ProxyFault?, at time: Duration) {
        if subscription != .none { send(.unsubscribeAdvertisements) }
        subscription = .none
        send(.disconnect)
        move(to: .leaving(reason), at: time)
    }

    private mutating func accept() {
        subscription = .accepted
        actions.append(.subscribed)
    }

    private mutating func end(_ fault: ProxyFault?) {
        state = .ended
        actions.append(.end(fault))
    }

    private mutating func send(_ message: ClientMessage) {
        guard let frame = channel.frame(type: message.type, body: message.body) else { return }
        actions.append(.send(frame))
    }

    private mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }
}
