// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// Commands on their way to the controller: one at a time, when it has room for one (Core 5.4, Vol 4, Part E, 4.4).
struct CommandQueue {
    /// A command, and what becomes of its answer.
    struct Entry {
        let packet: HCICommandPacket
        let continuation: CommandContinuation
    }

    /// A command that the controller has and did not answer yet.
    struct Outstanding {
        let opcode: HCIOpcode
        let continuation: CommandContinuation
        let deadline: Duration
    }

    /// How many commands may wait, beyond which those that peers or the owner ask for are refused.
    static let capacity = 512

    private var waiting: [Entry] = []
    private(set) var outstanding: Outstanding?
    private var credits = 1
    /// When the controller is taken to have room again though it did not say so.
    private var recovery: Duration?

    /// Whether another command of somebody's wish may wait.
    var hasRoom: Bool { waiting.count < Self.capacity }

    /// When something is to be done though the controller stays silent.
    var deadline: Duration? { outstanding?.deadline ?? recovery }

    mutating func append(_ entry: Entry) { waiting.append(entry) }

    /// The next command that may go, which is outstanding from now on.
    mutating func next(at now: Duration, timeout: Duration) -> HCICommandPacket? {
        guard outstanding == nil, let entry = waiting.first else { return nil }
        guard credits > 0 else {
            recovery = recovery ?? now + timeout
            return nil
        }
        waiting.removeFirst()
        if waiting.isEmpty { waiting = [] }
        credits -= 1
        recovery = nil
        outstanding = Outstanding(
            opcode: entry.packet.opcode, continuation: entry.continuation, deadline: now + timeout)
        return entry.packet
    }

    /// Takes the controller's word on how many commands it has room for.
    mutating func setCredits(_ count: UInt8) {
        credits = Int(count)
        if credits > 0 { recovery = nil }
    }

    /// The outstanding command's continuation, if it is this command.
    mutating func complete(_ opcode: HCIOpcode) -> CommandContinuation? {
        guard let answered = outstanding, answered.opcode == opcode else { return nil }
        outstanding = nil
        return answered.continuation
    }

    /// The outstanding command, if its time is over; the controller is given another chance with the next.
    mutating func expire(at now: Duration) -> Outstanding? {
        if let recovery, recovery <= now {
            self.recovery = nil
            credits = 1
        }
        guard let late = outstanding, late.deadline <= now else { return nil }
        outstanding = nil
        credits = max(credits, 1)
        return late
    }
}
