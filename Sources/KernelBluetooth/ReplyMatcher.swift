// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Finds the management command of a reply, which has the opcode and the controller of the command and nothing else.
///
/// A command is *waiting* from `begin` until its reply, or *given up*: then its late reply is dropped, so that it does not
/// become the reply of the next command with the same opcode. A hung controller delays a reply by more than the time
/// limit, because the kernel waits 2 s for each of several HCI commands. After a minute the reply is not expected any more.
struct ReplyMatcher {
    typealias Instant = ContinuousClock.Instant
    private static let patience = Duration.seconds(60)

    private struct Command {
        let identifier: Int
        let opcode: ManagementOpcode
        let index: UInt16
        var givenUp: Instant?
    }

    /// In the order in which they were sent.
    private var commands: [Command] = []
    private var nextIdentifier = 0

    /// Adds a command.
    /// - Returns: its identifier.
    mutating func begin(_ opcode: ManagementOpcode, index: UInt16) -> Int {
        defer { nextIdentifier += 1 }
        commands.append(Command(identifier: nextIdentifier, opcode: opcode, index: index))
        return nextIdentifier
    }

    /// Removes a command that could not be sent.
    mutating func cancel(_ identifier: Int) {
        commands.removeAll { $0.identifier == identifier }
    }

    /// Takes note that the time limit of a command has passed.
    /// - Returns: whether the command was waiting.
    mutating func giveUp(_ identifier: Int, at now: Instant) -> Bool {
        guard let position = commands.firstIndex(where: { $0.identifier == identifier }) else { return false }
        commands[position].givenUp = now
        return true
    }

    /// Takes a reply.
    /// - Returns: the command that waits for it; `nil` for a late reply.
    mutating func take(_ opcode: ManagementOpcode, index: UInt16, at now: Instant) -> Int? {
        commands.removeAll { $0.givenUp.map { now - $0 > Self.patience } ?? false }
        guard let position = commands.firstIndex(where: { $0.opcode == opcode && $0.index == index }) else {
            return nil
        }
        let command = commands.remove(at: position)
        return command.givenUp == nil ? command.identifier : nil
    }

    /// Removes all commands.
    /// - Returns: those that were waiting.
    mutating func removeAll() -> [(identifier: Int, opcode: ManagementOpcode)] {
        defer { commands = [] }
        return commands.filter { $0.givenUp == nil }.map { ($0.identifier, $0.opcode) }
    }
}
