// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import HCI

/// The host of one LE controller, in both roles, without any input or output of its own.
///
/// It is given what the controller sends and what time it is, and what its owner wants; it answers with packets for the
/// controller and events for the owner, which `takeOutputs()` hands out in order. Take them after each call.
///
/// Time is the duration since some moment that the owner chose, and never goes back. A call without a time counts as
/// made at the latest time that the host was told.
///
/// Beacons are kept on the air: what `setAdvertising` was told is put back after a connection and after `start(at:)`.
package struct LEHost: Sendable {
    /// What it was told once.
    package let configuration: LEHostConfiguration
    /// What the controller can do; `nil` until it is ready.
    package internal(set) var capabilities: LEHostCapabilities?

    var now: Duration = .zero
    var phase = Phase.idle
    var outputs: [LEHostOutput] = []
    var commands = CommandQueue()

    var sets: [BeaconState] = []
    /// None or one: it is not worth its room in hosts that do not need it.
    private var legacyAdvertiser: [LegacyAdvertiser] = []

    var scanner = Scanner()
    var initiator = Initiator()

    /// What peripherals that this host connects to find in it.
    var centralDatabase: AttributeDatabase?
    var connections: [HostConnection] = []
    var links = LinkRegistry()
    var dataCredits = DataCredits()
    var lastToken: UInt64 = 0

    /// Who pairs, and with whom they did: empty in hosts that do not.
    var securityScopes: [SecurityScope] = []
    /// None or one: the private address of the central.
    var centralPrivacy: [CentralPrivacy] = []
    var random: RandomSource

    /// A host that has not spoken to its controller yet.
    /// - Parameter random: where keys, passkeys and private addresses come from.
    package init(configuration: LEHostConfiguration = LEHostConfiguration(), random: RandomSource = RandomSource()) {
        self.configuration = configuration
        self.random = random
    }

    /// The one advertiser, where the controller has no advertising sets.
    var legacy: LegacyAdvertiser? {
        get { legacyAdvertiser.first }
        set { legacyAdvertiser = newValue.map { [$0] } ?? [] }
    }

    /// How far the controller's start has come.
    indirect enum Phase {
        case idle
        case initialising(Initialisation)
        case ready
        case failed
    }

    /// Whether the controller takes commands of the owner's wish.
    var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    /// What is known of the controller, final or not yet.
    var knownCapabilities: LEHostCapabilities { capabilities ?? LEHostCapabilities() }
}

extension LEHost {
    /// Resets the controller and asks what it can do; `.ready` or `.failed` tells the end.
    ///
    /// It may be called again at any time, when the controller was exchanged or failed: connections are then gone,
    /// with an event each, and beacons and a scan are put back.
    package mutating func start(at time: Duration) {
        setTime(time)
        forgetController()
        phase = .initialising(Initialisation())
        continueInitialisation()
        flush()
    }

    /// Takes a packet that the controller sent. Whatever it is, it is harmless: what cannot be understood is ignored.
    package mutating func receive(_ packet: HCIPacket, at time: Duration) {
        setTime(time)
        switch packet {
        case .event(let event): receive(event)
        case .acl(let data): receive(data)
        case .command, .synchronous, .isochronous: break
        }
        flush()
    }

    /// The earliest time at which `advance(to:)` has something to do; `nil` when nothing is due without an event.
    package var nextDeadline: Duration? {
        commands.deadline.orEarlier(legacy?.deadline(isReady: isReady)).orEarlier(initiator.deadline)
            .orEarlier(links.deadline).orEarlier(connectionDeadline).orEarlier(privacyDeadline)
    }

    /// Does what is due up to this time.
    package mutating func advance(to time: Duration) {
        setTime(time)
        expireCommand()
        advanceRotation()
        advanceInitiator()
        advanceLinks()
        advanceConnections()
        advancePrivacy()
        flush()
    }

    /// What is to be done since the last time, in order.
    package mutating func takeOutputs() -> [LEHostOutput] {
        defer { outputs = [] }
        return outputs
    }

    mutating func setTime(_ time: Duration) { now = max(now, time) }

    mutating func emit(_ event: LEHostEvent) { outputs.append(.event(event)) }

    /// Sends what the controller has room for; everything that changes a channel comes here at its end.
    mutating func flush() {
        for index in connections.indices { connections[index].noteDeadline() }
        sendData()
        while let packet = commands.next(at: now, timeout: configuration.commandTimeout) {
            outputs.append(.send(.command(packet)))
        }
    }

    /// Drops all that is known of the controller, but nothing that the owner wants.
    private mutating func forgetController() {
        for connection in connections { tellDisconnected(connection, reason: .connectionTerminatedByLocalHost) }
        capabilities = nil
        commands = CommandQueue()
        connections = []
        links = LinkRegistry(after: links)
        dataCredits = DataCredits()
        legacy = nil
        for index in sets.indices { sets[index].forgetController() }
        sets.removeAll { $0.order == nil }
        scanner.forgetController()
        initiator.forgetController()
        centralPrivacy = []
    }
}
