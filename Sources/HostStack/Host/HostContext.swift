// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// What the parts of a host share: the time, random numbers, what the controller can do, the bonds, and the lists of
/// actions.
///
/// A part gets the context with each input and appends its actions: commands for the controller and events for the
/// owner. They are appended in place because an array per call would be an allocation per packet.
struct HostContext: Sendable {
    // Shared: on a virtual air every beacon has its own host.
    private let sharedConfiguration: Boxed<LEHostConfiguration>
    var configuration: LEHostConfiguration { sharedConfiguration.value }
    /// The latest time that the owner gave.
    private(set) var now: Duration = .zero
    /// What the controller can do; `nil` until it is ready.
    var capabilities: LEHostCapabilities?
    /// The source of keys, passkeys and private addresses.
    var random: RandomSource
    /// The commands that wait for the controller, and the one that it executes.
    var commands = CommandQueue()
    /// The pairing settings and the bonds.
    var registry: SecurityRegistry
    private var outputs: [LEHostOutput] = []

    init(configuration: Boxed<LEHostConfiguration>, random: RandomSource) {
        sharedConfiguration = configuration
        self.random = random
        registry = SecurityRegistry(sharesBonds: configuration.value.hasOneIdentity)
    }

    /// The capabilities, or what every controller can do until they are known.
    var knownCapabilities: LEHostCapabilities { capabilities ?? LEHostCapabilities() }

    /// Sets the time, which never goes back.
    mutating func advance(to time: Duration) { now = max(now, time) }

    mutating func emit(_ event: LEHostEvent) { outputs.append(.event(event)) }

    /// Queues a command that the host itself needs.
    mutating func send<Command: HCICommand>(_ command: Command, then continuation: CommandContinuation) {
        send(HCICommandPacket(command), then: continuation)
    }

    mutating func send(_ packet: HCICommandPacket, then continuation: CommandContinuation) {
        commands.append(packet, then: continuation)
    }

    /// Queues a command that the owner or a peer asked for.
    /// - Returns: `false` if the queue is full.
    mutating func request<Command: HCICommand>(_ command: Command, then continuation: CommandContinuation) -> Bool {
        guard commands.hasRoom else { return false }
        send(command, then: continuation)
        return true
    }

    mutating func send(_ data: ACLDataPacket) { outputs.append(.send(.acl(data))) }

    /// Moves the commands that the controller has room for to the outputs.
    mutating func flushCommands() {
        while let packet = commands.next(at: now, timeout: configuration.commandTimeout) {
            outputs.append(.send(.command(packet)))
        }
    }

    mutating func takeOutputs() -> [LEHostOutput] {
        defer { outputs = [] }
        return outputs
    }
}
