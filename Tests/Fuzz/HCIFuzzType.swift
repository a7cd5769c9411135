// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// A type that the parameters of HCI packets have: every command, its return parameters, and every event.
enum HCIFuzzType: Sendable {
    typealias Parser = @Sendable ([UInt8]) -> FuzzTarget.Outcome

    /// An event code, with the subevent code of an LE meta event.
    struct EventCode: Hashable {
        var code: UInt8
        var subeventCode: UInt8?
    }

    case command(HCIOpcode, Parser)
    case returned(HCIOpcode, Parser)
    case event(UInt8, UInt8?, Parser)

    static let all: [HCIFuzzType] =
        HCICommands.all.map { command($0) }
        + HCICommands.all.compactMap { ($0 as? any HCIReturningCommand.Type).map { returned($0) } }
        + HCIEvents.all.map { event($0) }

    static let commands = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            if case .command(let opcode, let parser) = type { (opcode, parser) } else { nil }
        })
    static let returned = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            if case .returned(let opcode, let parser) = type { (opcode, parser) } else { nil }
        })
    static let events = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            if case .event(let code, let subeventCode, let parser) = type {
                (EventCode(code: code, subeventCode: subeventCode), parser)
            } else {
                nil
            }
        })

    private static func command<Command: HCICommand>(_: Command.Type) -> HCIFuzzType {
        .command(Command.opcode, parser(Command.self))
    }

    private static func returned<Command: HCIReturningCommand>(_: Command.Type) -> HCIFuzzType {
        .returned(Command.opcode, parser(Command.Returned.self))
    }

    private static func event<Event: HCIEvent>(_: Event.Type) -> HCIFuzzType {
        .event(Event.eventCode, (Event.self as? any LEMetaEvent.Type)?.subeventCode, parser(Event.self))
    }

    /// Parses from the start of the bytes; the parsed value must serialize to the same bytes.
    private static func parser<Value: WireCodable>(_: Value.Type) -> Parser {
        { bytes in
            var reader = ByteReader(bytes)
            do throws(WireError) {
                let value = try Value(parsing: &reader)
                guard value.serialized() == Array(bytes.prefix(reader.offset)) else {
                    FuzzReport.fail("\(Value.self) \(Hexadecimal.string(bytes)) serializes to \(value.serialized())")
                }
                return .parsed
            } catch {
                guard 0...bytes.count ~= error.offset else { FuzzReport.fail("\(error) is outside of its input") }
                return .refused
            }
        }
    }
}
