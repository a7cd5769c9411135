// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// One way in which a controller deviates; the rows of `CharacterKind.all` are lists of them.
///
/// A deviation affects commands before they are executed (`delay`, `hang`, `command`), events before they are queued for the
/// host (`event`), or the time to the next advertising event (`intervalFactor`).
struct Deviation: Sendable {
    /// The delay of a command in microseconds; `nil` for none.
    var delay: (@Sendable (HCICommandPacket) -> AirTime?)?
    /// After how many commands the controller does not answer any more.
    var hang: Hang?
    /// What becomes of a command; `nil` if it is not affected.
    var command: (@Sendable (HCICommandPacket, ControllerStates) -> CommandEffect?)?
    /// The events in place of an event; `nil` if it is not affected.
    var event: (@Sendable (HCIEventPacket) -> [ReplacedEvent]?)?
    /// The interval of advertising on the air, as a multiple of the host's.
    var intervalFactor: Double?
    /// The public address that all controllers of the character have.
    var publicAddress: BluetoothAddress?
    /// Whether the controller is for BR/EDR and LE.
    var hasClassicRadio = false

    /// Whether commands, events and advertising are as on a controller without a character.
    var isStatic: Bool {
        delay == nil && hang == nil && command == nil && event == nil && intervalFactor == nil
    }
}

/// What becomes of a command.
enum CommandEffect {
    /// It fails with this status.
    case refuse(HCIStatus)
    /// It is neither executed nor answered.
    case ignore
    /// Another command is executed in its place.
    case replace(HCICommandPacket)
    /// It is executed after these events.
    case precede([any LEMetaEvent])
    /// It is executed, and counts neither as a legacy nor as an extended command.
    case executeInAnyStyle
}

/// An event in place of another one.
struct ReplacedEvent {
    var event: HCIEventPacket
    /// In microseconds; 0 is after everything else that happens at this time, `nil` is at once.
    var delay: AirTime?
}

/// The failure of a controller that does not answer commands any more.
struct Hang: Sendable {
    /// What happens five seconds after the first command without an answer.
    enum Ending: String, CaseIterable, Sendable {
        /// Nothing.
        case never
        /// A Hardware Error event; then the controller works again, as after a reset.
        case error
        /// A Hardware Error event; then the controller is removed from its host, and another one takes its place.
        case removal
    }

    /// The number of commands that are answered.
    let commands: Int
    let ending: Ending

    /// The time from the first command without an answer to the Hardware Error event, in microseconds.
    static let timeToError: AirTime = 5_000_000
    /// The code in the Hardware Error event, as Intel's controllers have it.
    static let hardwareCode: UInt8 = 0x0C
}

/// The states of a controller that conditions depend on.
struct ControllerStates {
    /// An advertising set of the extended commands.
    struct AdvertisingSet {
        let handle: UInt8
        let isEnabled: Bool
        /// Whether a connection ended it, and the host has neither enabled nor disabled it since.
        let endedByConnection: Bool
    }

    let hasLinks: Bool
    let isScanning: Bool
    let isInitiating: Bool
    let isAdvertising: Bool
    let sets: [AdvertisingSet]
}

/// When a deviation affects a command.
struct Condition: Sendable {
    let holds: @Sendable (HCICommandPacket, ControllerStates) -> Bool

    static let always = Condition { _, _ in true }
    static let whileLinked = Condition { $1.hasLinks }
    /// While it scans, initiates or advertises, by legacy or extended commands.
    static let whileAnAddressIsInUse = Condition { $1.isScanning || $1.isInitiating || $1.isAdvertising }
    /// If the first parameter is 1, as in the commands that enable something.
    static let enabling = Condition { command, _ in command.parameters.first == 1 }

    static func && (left: Condition, right: Condition) -> Condition {
        Condition { left.holds($0, $1) && right.holds($0, $1) }
    }

    /// If the first parameter is an advertising handle from this one upwards.
    static func handle(from limit: Int) -> Condition {
        Condition { command, _ in command.parameters.first.map { $0 >= limit } ?? false }
    }

    /// If the first parameter is the handle of no set, and there are this many sets.
    static func newHandle(beyond count: Int) -> Condition {
        Condition { command, activity in
            activity.sets.count >= count && !activity.sets.contains { $0.handle == command.parameters.first }
        }
    }

    /// If the first parameter is the handle of a set that a connection has ended, and that was not disabled since.
    static let setEndedByConnection = Condition { command, activity in
        activity.sets.contains { $0.handle == command.parameters.first && $0.endedByConnection }
    }

    /// If the parameters of a command have a property.
    static func parameters<Command: HCICommand>(
        of _: Command.Type, where isAffected: @escaping @Sendable (Command) -> Bool
    ) -> Condition {
        Condition { packet, _ in (try? packet.parameters(as: Command.self)).map(isAffected) ?? false }
    }
}

// MARK: - Commands

extension Deviation {
    /// Commands fail with a status. Unknown HCI Command comes in a Command Status event, others as the command returns them.
    static func refuses(
        _ commands: Set<HCIOpcode>, _ status: HCIStatus, _ condition: Condition = .always
    ) -> Deviation {
        Deviation(command: { packet, activity in
            commands.contains(packet.opcode) && condition.holds(packet, activity) ? .refuse(status) : nil
        })
    }

    /// A command is neither executed nor answered.
    static func ignores(_ opcode: HCIOpcode?) -> Deviation {
        Deviation(command: { packet, _ in packet.opcode == opcode ? .ignore : nil })
    }

    /// A command is executed with other parameters; `nil` leaves them.
    static func changes<Command: HCICommand>(
        _: Command.Type, _ change: @escaping @Sendable (Command) -> Command?
    ) -> Deviation {
        Deviation(command: { packet, _ in
            (try? packet.parameters(as: Command.self)).flatMap(change)
                .map { CommandEffect.replace(HCICommandPacket($0)) }
        })
    }

    /// Events come before the answer to a command.
    static func precedes<Command: HCICommand>(
        _: Command.Type, with events: @escaping @Sendable (Command, ControllerStates) -> [any LEMetaEvent]
    ) -> Deviation {
        Deviation(command: { packet, activity in
            (try? packet.parameters(as: Command.self)).map { CommandEffect.precede(events($0, activity)) }
        })
    }

    /// Commands count neither as legacy nor as extended ones.
    static func doesNotCount(_ commands: Set<HCIOpcode>) -> Deviation {
        Deviation(command: { packet, _ in commands.contains(packet.opcode) ? .executeInAnyStyle : nil })
    }

    /// Commands are executed and answered late; the answer leaves the host no command, until half of the time later.
    /// - Parameters:
    ///   - delay: in microseconds.
    ///   - only: the only command that is late; `nil` for all.
    static func isLate(by delay: AirTime, only: HCIOpcode?) -> Deviation {
        Deviation(
            delay: { only == nil || $0.opcode == only ? delay : nil },
            event: { packet in
                guard let (opcode, answer) = withoutCredits(packet), only == nil || opcode == only else { return nil }
                let credit = HCIEventPacket(CommandStatus(opcode: .none))
                return [ReplacedEvent(event: answer), ReplacedEvent(event: credit, delay: delay / 2)]
            })
    }

    /// The answer to a command, changed so that the controller accepts no further one; `nil` for another event.
    private static func withoutCredits(_ packet: HCIEventPacket) -> (opcode: HCIOpcode, answer: HCIEventPacket)? {
        if let event = try? packet.parameters(as: HCICommandComplete.self) {
            let answer = HCICommandComplete(
                commandCredits: 0, opcode: event.opcode, returnParameters: event.returnParameters)
            return (event.opcode, HCIEventPacket(answer))
        }
        guard let event = try? packet.parameters(as: CommandStatus.self) else { return nil }
        let answer = CommandStatus(status: event.status, commandCredits: 0, opcode: event.opcode)
        return (event.opcode, HCIEventPacket(answer))
    }

    /// The controller does not answer after a number of commands.
    static func hangs(after commands: Int, _ ending: Hang.Ending) -> Deviation {
        Deviation(hang: Hang(commands: commands, ending: ending))
    }
}

// MARK: - Answers and events

extension Deviation {
    /// A successful command returns other values.
    static func answers<Command: HCIReturningCommand>(
        _: Command.Type, _ change: @escaping @Sendable (Command.Returned) -> Command.Returned
    ) -> Deviation {
        Deviation(event: { packet in
            guard let complete = try? packet.parameters(as: HCICommandComplete.self),
                complete.opcode == Command.opcode, let returned = try? complete.returned(of: Command.self)
            else { return nil }
            let answer = HCICommandComplete(
                commandCredits: complete.commandCredits, Command.self, returning: change(returned))
            return [ReplacedEvent(event: HCIEventPacket(answer))]
        })
    }

    /// Read Local Supported Commands returns other commands.
    static func supportedCommands(
        adding added: Set<HCIOpcode> = [], removing removed: Set<HCIOpcode> = []
    ) -> Deviation {
        answers(ReadLocalSupportedCommands.self) { returned in
            let supported = HCICommands.definitions.keys.filter { returned.supportedCommands.contains($0) == true }
            return .init(supportedCommands: SupportedCommands(Set(supported).union(added).subtracting(removed)))
        }
    }

    /// LE Read Local Supported Features returns fewer features.
    static func features(removing removed: LEFeatures) -> Deviation {
        answers(LEReadLocalSupportedFeatures.self) { .init(features: $0.features.subtracting(removed)) }
    }

    /// An event does not come.
    static func omits<Event: HCIEvent>(
        _: Event.Type, where isAffected: @escaping @Sendable (Event) -> Bool
    ) -> Deviation {
        replaces(Event.self, where: isAffected) { _ in [] }
    }

    /// An event comes late.
    /// - Parameter delay: in microseconds; 0 is after everything else that happens at this time.
    static func delays<Event: HCIEvent>(
        _: Event.Type, by delay: AirTime, where isAffected: @escaping @Sendable (Event) -> Bool
    ) -> Deviation {
        replaces(Event.self, where: isAffected) { [ReplacedEvent(event: $0, delay: delay)] }
    }

    private static func replaces<Event: HCIEvent>(
        _: Event.Type, where isAffected: @escaping @Sendable (Event) -> Bool,
        with replacement: @escaping @Sendable (HCIEventPacket) -> [ReplacedEvent]
    ) -> Deviation {
        Deviation(event: { packet in
            guard let event = try? packet.parameters(as: Event.self), isAffected(event) else { return nil }
            return replacement(packet)
        })
    }
}

extension Deviation {
    /// Commands that the controller does not have: they are unknown, and not among the supported ones.
    static func lacks(_ commands: Set<HCIOpcode>) -> [Deviation] {
        [.refuses(commands, .unknownCommand), .supportedCommands(removing: commands)]
    }
}
