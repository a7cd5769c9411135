// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension LEHost {
    /// Queues a command of the host's own need.
    mutating func send<Command: HCICommand>(_ command: Command, then continuation: CommandContinuation) {
        commands.append(CommandQueue.Entry(packet: HCICommandPacket(command), continuation: continuation))
    }

    /// Queues a command that the owner or a peer asked for; `false` when too many wait already.
    mutating func request<Command: HCICommand>(
        _ command: Command, then continuation: CommandContinuation
    ) -> Bool {
        guard commands.hasRoom else { return false }
        send(command, then: continuation)
        return true
    }

    /// Takes the answer of a command that returns something.
    mutating func receive(_ event: HCICommandComplete) {
        commands.setCredits(event.commandCredits)
        guard let continuation = commands.complete(event.opcode) else { return }
        let status = event.status ?? .success
        let failure = status == .success ? nil : LEHostFailure.command(event.opcode, status)
        finish(continuation, CommandReply(opcode: event.opcode, returned: event.returnParameters, failure: failure))
    }

    /// Takes the answer of a command that began, or was refused.
    mutating func receive(_ event: CommandStatus) {
        commands.setCredits(event.commandCredits)
        guard let continuation = commands.complete(event.opcode) else { return }
        let failure = event.status == .success ? nil : LEHostFailure.command(event.opcode, event.status)
        finish(continuation, CommandReply(opcode: event.opcode, returned: [], failure: failure))
    }

    /// Gives up on a command whose time is over.
    mutating func expireCommand() {
        guard let late = commands.expire(at: now) else { return }
        let failure = LEHostFailure.unanswered(late.opcode, after: configuration.commandTimeout)
        finish(late.continuation, CommandReply(opcode: late.opcode, returned: [], failure: failure))
    }

    private mutating func finish(_ continuation: CommandContinuation, _ reply: CommandReply) {
        if let failure = reply.failure, !isExpected(failure, by: continuation) { emit(.commandFailed(failure)) }
        switch continuation {
        case .initialisation(let step): finish(step, reply)
        case .advertisingSet(let set, let step): finish(step, of: set, reply)
        case .legacyAdvertising(let set, let step): finish(step, forTurnOf: set, reply)
        case .scanning(let step): finish(step, reply)
        case .connecting(let step): finish(step, reply)
        case .centralAddress(let address): finishCentralAddress(address, reply)
        case .connection(let connection, let step): finish(step, of: connection, reply)
        case .unattended: break
        }
    }

    /// Whether a failure is an ordinary outcome, which no one needs to hear of.
    private func isExpected(_ failure: LEHostFailure, by continuation: CommandContinuation) -> Bool {
        switch (continuation, failure) {
        // The connection ended, or came about, while the command was on its way.
        case (.connection, .command(_, .unknownConnectionIdentifier)), (.connecting(.cancel), .command): true
        case (.connection(_, .dataLength), .command), (.connection(_, .encryption), .command): true
        default: false
        }
    }
}
