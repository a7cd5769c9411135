// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The commands of an emulated controller, with or without BR/EDR.
struct CommandTable: Sendable {
    let handlers: [HCIOpcode: CommandHandler]
    /// The result of Read Local Supported Commands: derived from the handlers, so it cannot claim anything else. Vendor
    /// commands have no bits there.
    let supported: SupportedCommands

    private init(_ handlers: [CommandHandler]) {
        self.handlers = Dictionary(uniqueKeysWithValues: handlers.map { ($0.opcode, $0) })
        supported = SupportedCommands(self.handlers.keys)
    }

    private static let all = [
        controllerCommands, informationCommands, lowEnergyCommands, acceptListCommands, legacyAdvertisingCommands,
        extendedAdvertisingCommands, scanningCommands, initiatingCommands, connectionCommands,
        linkParameterCommands, flowControlCommands, encryptionCommands, cryptographyCommands, directTestCommands,
        classicLinkCommands, classicSettingCommands,
    ].flatMap { $0 }

    /// Of a controller for LE only.
    static let lowEnergy = CommandTable(all.filter { !$0.needsClassicRadio })
    /// Of a controller for BR/EDR and LE.
    static let dualMode = CommandTable(all)
}

/// How a controller executes and answers one command.
struct CommandHandler: Sendable {
    let opcode: HCIOpcode
    /// The style of commands that this command belongs to.
    private var style = CommandStyle.undecided
    /// Whether only controllers with a BR/EDR radio have the command.
    private(set) var needsClassicRadio = false
    /// Whether the command is answered by a Command Status event.
    private let isAnsweredByStatus: Bool
    /// Executes and answers the command; throws the status of failure.
    private let run: @Sendable (inout Air, HCICommandPacket, Int) throws(HCIStatus) -> Void
    /// The return parameters of failure.
    private var failure: @Sendable (HCIStatus, HCICommandPacket) -> [UInt8] = { status, _ in [status.rawValue] }

    private init(
        _ opcode: HCIOpcode, isAnsweredByStatus: Bool = false,
        run: @escaping @Sendable (inout Air, HCICommandPacket, Int) throws(HCIStatus) -> Void
    ) {
        self.opcode = opcode
        self.isAnsweredByStatus = isAnsweredByStatus
        self.run = run
    }

    /// A command that returns a status only.
    /// - Parameters:
    ///   - perform: executes the command; gets the index of the controller.
    ///   - then: continues after the answer.
    static func completing<Command: HCICommand>(
        _: Command.Type, _ perform: @escaping @Sendable (inout Air, Int, Command) throws(HCIStatus) -> Void,
        then: (@Sendable (inout Air, Int, Command) -> Void)? = nil
    ) -> CommandHandler {
        CommandHandler(Command.opcode) { air, packet, controller throws(HCIStatus) in
            let command: Command = try parse(packet)
            try perform(&air, controller, command)
            air.context.controllers.emit(HCICommandComplete(opcode: Command.opcode, status: .success), to: controller)
            then?(&air, controller, command)
        }
    }

    /// A command that returns more than a status.
    static func returning<Command: HCIReturningCommand>(
        _: Command.Type,
        _ perform: @escaping @Sendable (inout Air, Int, Command) throws(HCIStatus) -> Command.Returned,
        then: (@Sendable (inout Air, Int, Command) -> Void)? = nil
    ) -> CommandHandler {
        var handler = CommandHandler(Command.opcode) { air, packet, controller throws(HCIStatus) in
            let command: Command = try parse(packet)
            let returned = try perform(&air, controller, command)
            air.context.controllers.emit(HCICommandComplete(Command.self, returning: returned), to: controller)
            then?(&air, controller, command)
        }
        handler.failure = { status, packet in failure(of: Command.self, status, packet) }
        return handler
    }

    /// A command that is answered when it starts; events report the result.
    static func starting<Command: HCICommand>(
        _: Command.Type, _ perform: @escaping @Sendable (inout Air, Int, Command) throws(HCIStatus) -> Void,
        then: (@Sendable (inout Air, Int, Command) -> Void)? = nil
    ) -> CommandHandler {
        CommandHandler(Command.opcode, isAnsweredByStatus: true) { air, packet, controller throws(HCIStatus) in
            let command: Command = try parse(packet)
            try perform(&air, controller, command)
            air.context.controllers.emit(CommandStatus(opcode: Command.opcode), to: controller)
            then?(&air, controller, command)
        }
    }

    /// A command that is answered only if it fails.
    static func silent<Command: HCICommand>(
        _: Command.Type, _ perform: @escaping @Sendable (inout Air, Int, Command) throws(HCIStatus) -> Void
    ) -> CommandHandler {
        CommandHandler(Command.opcode) { air, packet, controller throws(HCIStatus) in
            try perform(&air, controller, try parse(packet))
        }
    }

    /// The same command as one of a style.
    func of(_ style: CommandStyle) -> CommandHandler {
        var handler = self
        handler.style = style
        return handler
    }

    /// The same command as one that only controllers with a BR/EDR radio have.
    func ofClassicRadio() -> CommandHandler {
        var handler = self
        handler.needsClassicRadio = true
        return handler
    }

    /// Executes a command of a host, and answers it.
    /// - Parameter settlesStyle: whether it counts as a command of its style.
    fileprivate func execute(
        _ packet: HCICommandPacket, by controller: Int, settlesStyle: Bool, on air: inout Air
    ) {
        do throws(HCIStatus) {
            if style != .undecided {
                // A direct test excludes all other activities (Core 5.4, Vol 6, Part F, 2).
                guard !air.tests.isRunning(controller) else { throw .commandDisallowed }
                if settlesStyle { try air.context.controllers.settleStyle(style, of: controller) }
            }
            try run(&air, packet, controller)
        } catch {
            refuse(packet, status: error, by: controller, on: &air)
        }
    }

    fileprivate func refuse(_ packet: HCICommandPacket, status: HCIStatus, by controller: Int, on air: inout Air) {
        if isAnsweredByStatus {
            air.context.controllers.emit(CommandStatus(status: status, opcode: packet.opcode), to: controller)
        } else {
            let returned = failure(status, packet)
            air.context.controllers.emit(
                HCICommandComplete(opcode: packet.opcode, returnParameters: returned), to: controller)
        }
    }

    private static func parse<Command: HCICommand>(_ packet: HCICommandPacket) throws(HCIStatus) -> Command {
        do throws(WireError) {
            return try packet.parameters(as: Command.self)
        } catch {
            throw .invalidCommandParameters
        }
    }

    /// As many bytes as success returns, because some hosts check the length first: the status, the connection handle or the
    /// address if it follows, and zeros.
    private static func failure<Command: HCIReturningCommand>(
        of _: Command.Type, _ status: HCIStatus, _ packet: HCICommandPacket
    ) -> [UInt8] {
        var octets = [status.rawValue]
        if Command.self is any ConnectionCommand.Type { octets += packet.parameters.prefix(2) }
        if Command.self is any AddressCommand.Type { octets += packet.parameters.prefix(6) }
        while octets.count < 255 {
            if (try? Command.Returned(parsing: octets)) != nil { return octets }
            octets.append(0)
        }
        return [status.rawValue]
    }
}

extension Air {
    /// Executes and answers a command of a host, or does what the character of the controller has in its place.
    mutating func perform(_ packet: HCICommandPacket, by controller: Int) {
        guard context.controllers.characters.contains(controller) else { return execute(packet, by: controller) }
        performInCharacter(packet, by: controller)
    }

    /// Executes a command of a host, and answers it.
    /// - Parameter settlesStyle: whether it counts as a legacy or extended command, if it is one.
    mutating func execute(_ packet: HCICommandPacket, by controller: Int, settlesStyle: Bool = true) {
        guard let handler = context.controllers.commands(of: controller).handlers[packet.opcode] else {
            return refuse(packet, .unknownCommand, by: controller)
        }
        handler.execute(packet, by: controller, settlesStyle: settlesStyle, on: &self)
    }

    /// Answers a command with a status of failure. For an unknown command this is a Command Status event, on a controller for
    /// BR/EDR and LE a Command Complete event: Android's host accepts no other.
    mutating func refuse(_ packet: HCICommandPacket, _ status: HCIStatus, by controller: Int) {
        guard status != .unknownCommand,
            let handler = context.controllers.commands(of: controller).handlers[packet.opcode]
        else {
            guard context.controllers.isDualMode(controller) else {
                return context.controllers.emit(CommandStatus(status: status, opcode: packet.opcode), to: controller)
            }
            return context.controllers.emit(HCICommandComplete(opcode: packet.opcode, status: status), to: controller)
        }
        handler.refuse(packet, status: status, by: controller, on: &self)
    }
}
