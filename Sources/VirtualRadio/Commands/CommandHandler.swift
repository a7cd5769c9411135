// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// How a controller does one command, and answers it.
struct CommandHandler: Sendable {
    let opcode: HCIOpcode
    /// Which commands it must not be mixed with.
    var style = Controller.CommandStyle.undecided
    /// Whether it is answered by a Command Status event.
    let isAnsweredByStatus: Bool
    /// Does the command; throws the status of failure.
    fileprivate let run: @Sendable (inout Air, HCICommandPacket, Int) throws(HCIStatus) -> Void
    /// The return parameters of failure.
    fileprivate var failure: @Sendable (HCIStatus, HCICommandPacket) -> [UInt8] = { status, _ in [status.rawValue] }

    /// A command that returns a status alone.
    /// - Parameters:
    ///   - perform: gets the place of the controller, and the command.
    ///   - then: what happens when the answer is given.
    static func completing<Command: HCICommand>(
        _: Command.Type, _ perform: @escaping @Sendable (inout Air, Int, Command) throws(HCIStatus) -> Void,
        then: (@Sendable (inout Air, Int, Command) -> Void)? = nil
    ) -> CommandHandler {
        CommandHandler(opcode: Command.opcode, isAnsweredByStatus: false) { air, packet, controller throws(HCIStatus) in
            let command: Command = try parse(packet)
            try perform(&air, controller, command)
            air.emit(HCICommandComplete(opcode: Command.opcode, status: .success), to: controller)
            then?(&air, controller, command)
        }
    }

    /// A command that returns more.
    static func returning<Command: HCIReturningCommand>(
        _: Command.Type,
        _ perform: @escaping @Sendable (inout Air, Int, Command) throws(HCIStatus) -> Command.Returned,
        then: (@Sendable (inout Air, Int, Command) -> Void)? = nil
    ) -> CommandHandler {
        var handler = CommandHandler(opcode: Command.opcode, isAnsweredByStatus: false) {
            air, packet, controller throws(HCIStatus) in
            let command: Command = try parse(packet)
            let returned = try perform(&air, controller, command)
            air.emit(HCICommandComplete(Command.self, returning: returned), to: controller)
            then?(&air, controller, command)
        }
        handler.failure = { status, packet in failure(of: Command.self, status, packet) }
        return handler
    }

    /// A command that is answered when it begins; events tell the rest.
    static func starting<Command: HCICommand>(
        _: Command.Type, _ perform: @escaping @Sendable (inout Air, Int, Command) throws(HCIStatus) -> Void,
        then: (@Sendable (inout Air, Int, Command) -> Void)? = nil
    ) -> CommandHandler {
        CommandHandler(opcode: Command.opcode, isAnsweredByStatus: true) { air, packet, controller throws(HCIStatus) in
            let command: Command = try parse(packet)
            try perform(&air, controller, command)
            air.emit(CommandStatus(opcode: Command.opcode), to: controller)
            then?(&air, controller, command)
        }
    }

    /// A command that is answered only when it fails.
    static func silent<Command: HCICommand>(
        _: Command.Type, _ perform: @escaping @Sendable (inout Air, Int, Command) throws(HCIStatus) -> Void
    ) -> CommandHandler {
        CommandHandler(opcode: Command.opcode, isAnsweredByStatus: false) { air, packet, controller throws(HCIStatus) in
            try perform(&air, controller, try parse(packet))
        }
    }

    /// The same command, as one of those that do not mix with the other style's.
    func of(_ style: Controller.CommandStyle) -> CommandHandler {
        var handler = self
        handler.style = style
        return handler
    }

    private static func parse<Command: HCICommand>(_ packet: HCICommandPacket) throws(HCIStatus) -> Command {
        do throws(WireError) {
            return try packet.parameters(as: Command.self)
        } catch {
            throw .invalidCommandParameters
        }
    }

    /// As many octets as success has, since there are hosts that look at the length first: the status, the connection
    /// handle where that follows, and zeros.
    private static func failure<Command: HCIReturningCommand>(
        of _: Command.Type, _ status: HCIStatus, _ packet: HCICommandPacket
    ) -> [UInt8] {
        var octets = [status.rawValue]
        if Command.self is any ConnectionCommand.Type { octets += packet.parameters.prefix(2) }
        while octets.count < 255 {
            if (try? Command.Returned(parsing: octets)) != nil { return octets }
            octets.append(0)
        }
        return [status.rawValue]
    }
}

// MARK: - Doing commands

extension Air {
    /// Does a command of a host, and answers it.
    mutating func perform(_ packet: HCICommandPacket, by controller: Int) {
        guard let handler = CommandTable.handlers[packet.opcode] else {
            return emit(CommandStatus(status: .unknownCommand, opcode: packet.opcode), to: controller)
        }
        do throws(HCIStatus) {
            try settleStyle(handler.style, controller)
            try handler.run(&self, packet, controller)
        } catch {
            refuse(packet, handler, status: error, by: controller)
        }
    }

    /// Legacy and extended commands for the same do not mix (Core 5.4, Vol 4, Part E, 3.1.1).
    private mutating func settleStyle(_ style: Controller.CommandStyle, _ controller: Int) throws(HCIStatus) {
        guard style != .undecided else { return }
        // During a direct test there is nothing else (Core 5.4, Vol 6, Part F, 2).
        guard controllers[controller].host.test == nil else { throw .commandDisallowed }
        let settled = controllers[controller].host.commandStyle
        guard settled == .undecided || settled == style else { throw .commandDisallowed }
        controllers[controller].host.commandStyle = style
    }

    private mutating func refuse(
        _ packet: HCICommandPacket, _ handler: CommandHandler, status: HCIStatus, by controller: Int
    ) {
        if handler.isAnsweredByStatus {
            emit(CommandStatus(status: status, opcode: packet.opcode), to: controller)
        } else {
            let returned = handler.failure(status, packet)
            emit(HCICommandComplete(opcode: packet.opcode, returnParameters: returned), to: controller)
        }
    }
}
