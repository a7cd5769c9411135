// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The commands for the controller: one at a time, when it has room for one (Core 5.4, Vol 4, Part E, 4.4).
struct CommandQueue: Sendable {
    /// A command and the part of the host that gets its reply.
    private struct Entry {
        let packet: HCICommandPacket
        let continuation: CommandContinuation
    }

    /// A command that the controller has not replied to yet.
    private struct Outstanding {
        let opcode: HCIOpcode
        let continuation: CommandContinuation
        let deadline: Duration
    }

    /// A reply and the part of the host that gets it.
    struct Completion {
        let continuation: CommandContinuation
        let reply: CommandReply
    }

    /// The number of waiting commands at which further ones of the owner or of peers are refused.
    static let capacity = 512

    private var waiting: [Entry] = []
    private var outstanding: Outstanding?
    private var credits = 1
    /// The time limit for a controller that has reported no room to report some.
    private var reliefDeadline: Duration?
    /// The number of commands in a row without a reply.
    private(set) var silences = 0

    var hasRoom: Bool { waiting.count < Self.capacity }

    /// Whether a command waits, or awaits its reply.
    var isBusy: Bool { outstanding != nil || !waiting.isEmpty }

    /// When `expire(at:)` has something to do.
    var deadline: Duration? { outstanding?.deadline ?? reliefDeadline }

    mutating func append(_ packet: HCICommandPacket, then continuation: CommandContinuation) {
        waiting.append(Entry(packet: packet, continuation: continuation))
    }

    /// The next command to send; it is outstanding from now on.
    mutating func next(at now: Duration, timeout: Duration) -> HCICommandPacket? {
        guard outstanding == nil, let entry = waiting.first else { return nil }
        guard credits > 0 else {
            reliefDeadline = reliefDeadline ?? now + timeout
            return nil
        }
        waiting.removeFirst()
        // An idle host holds no buffer: there may be thousands of them.
        if waiting.isEmpty { waiting = [] }
        credits -= 1
        reliefDeadline = nil
        outstanding = Outstanding(
            opcode: entry.packet.opcode, continuation: entry.continuation, deadline: now + timeout)
        return entry.packet
    }

    /// The reply to the outstanding command; `nil` if the event belongs to another command.
    mutating func receive(_ event: HCICommandComplete) -> Completion? {
        complete(
            event.opcode, status: event.status ?? .success, returned: event.returnParameters,
            credits: event.commandCredits)
    }

    /// The reply to the outstanding command, which has begun or was refused; `nil` if the event belongs to another one.
    mutating func receive(_ event: CommandStatus) -> Completion? {
        complete(event.opcode, status: event.status, returned: [], credits: event.commandCredits)
    }

    private mutating func complete(
        _ opcode: HCIOpcode, status: HCIStatus, returned: [UInt8], credits count: UInt8
    ) -> Completion? {
        silences = 0
        credits = Int(count)
        if credits > 0 { reliefDeadline = nil }
        guard let outstanding, outstanding.opcode == opcode else { return nil }
        self.outstanding = nil
        let failure = status == .success ? nil : LEHostFailure.command(opcode, status)
        return Completion(
            continuation: outstanding.continuation,
            reply: CommandReply(opcode: opcode, returned: returned, failure: failure))
    }

    /// Whether a command has waited in vain for room.
    func isStalled(at now: Duration) -> Bool { reliefDeadline.map { $0 <= now } ?? false }

    /// The failure of the outstanding command if its time limit has passed; the next command is sent regardless.
    mutating func expire(at now: Duration, timeout: Duration) -> Completion? {
        guard let outstanding, outstanding.deadline <= now else { return nil }
        self.outstanding = nil
        silences += 1
        credits = max(credits, 1)
        reliefDeadline = nil
        let failure = LEHostFailure.unanswered(outstanding.opcode, after: timeout)
        return Completion(
            continuation: outstanding.continuation,
            reply: CommandReply(opcode: outstanding.opcode, returned: [], failure: failure))
    }
}

/// The part of the host that gets the reply to a command, and the purpose of the command.
enum CommandContinuation: Hashable, Sendable {
    case initialisation(InitialisationStep)
    case advertisingSet(AdvertisingSetIdentifier, AdvertiserStep)
    /// The only advertiser of a legacy controller, on behalf of this set.
    case legacyAdvertising(AdvertisingSetIdentifier?, AdvertiserStep)
    case scanning(ScanStep)
    case connecting(InitiatorStep)
    /// A new private address of the central.
    case centralAddress(BluetoothAddress)
    case connection(ConnectionIdentifier, ConnectionStep)
    /// No part needs the reply.
    case unattended

    /// What the controller is to do, if not every controller does it beside other activities.
    var activity: LEActivity? {
        switch self {
        case .advertisingSet(_, let step), .legacyAdvertising(_, let step):
            step == .disable || step == .remove ? nil : .advertising
        case .scanning(let step): step == .disable ? nil : .scanning
        case .connecting(.create): .connecting
        default: nil
        }
    }

    /// Whether a failure is an ordinary outcome, which the owner is not notified of.
    func expects(_ failure: LEHostFailure) -> Bool {
        switch (self, failure) {
        // The connection ended, or was made, before the controller executed the command.
        case (.connection, .command(_, .unknownConnectionIdentifier)), (.connecting(.cancel), .command): true
        // The set is disabled in case it is enabled, and may not exist yet.
        case (.advertisingSet(_, .disable), .command(_, .unknownAdvertisingIdentifier)): true
        // The accept list is full: the peer has its turn later.
        case (.connecting(.addToList), .command(_, .memoryCapacityExceeded)): true
        case (.connection(_, .dataLength), .command), (.connection(_, .encryption), .command): true
        default: false
        }
    }
}

/// The purpose of a command for a connection.
enum ConnectionStep: Hashable, Sendable {
    /// Longer link layer packets.
    case dataLength
    /// Other connection parameters.
    case update
    case rssi
    case encryption
    /// The key that the controller asked for, or its absence.
    case longTermKey
    case disconnect
}

/// A controller's reply to a command, or the lack of one.
struct CommandReply {
    let opcode: HCIOpcode
    /// The return parameters, the status first; empty if the command has only begun.
    let returned: [UInt8]
    /// The reason of a failure; `nil` for a success.
    let failure: LEHostFailure?

    /// The status with which the controller refused the command.
    var status: HCIStatus? { failure?.status }

    /// Whether the controller does not know the command, whatever it says about the commands that it supports.
    var isUnknownCommand: Bool { status == .unknownCommand }

    /// The same reply, with the activity of the controller that explains the refusal.
    func explained(by activity: LEActivity?) -> CommandReply {
        guard let activity, let status else { return self }
        return CommandReply(
            opcode: opcode, returned: returned, failure: .conflict(opcode, status, with: activity))
    }

    /// The return parameters of a successful command; `nil` if they cannot be read.
    ///
    /// Bytes after the known parameters are ignored: later versions of the specification may add some.
    func value<Command: HCIReturningCommand>(of _: Command.Type) -> Command.Returned? {
        guard failure == nil else { return nil }
        var reader = ByteReader(returned)
        return try? Command.Returned(parsing: &reader)
    }
}
