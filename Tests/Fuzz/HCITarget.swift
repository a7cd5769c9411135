// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport

extension FuzzTarget {
    /// A stream of HCI packets as a controller or a host may send it, and each packet's parameters.
    static let hci = FuzzTarget(name: "hci") { generator in
        var stream: [UInt8] = []
        for _ in 0..<Int.random(in: 1...4, using: &generator) { stream += packet(&generator) }
        return Int.random(in: 0..<4, using: &generator) == 0 ? Mutation.damaged([stream], &generator) : stream
    } parse: { bytes in
        var decoder = H4Decoder()
        decoder.append(bytes)
        var taken: [UInt8] = []
        var outcome = Outcome.refused
        do throws(WireError) {
            while let packet = try decoder.next() {
                taken += packet.serialized()
                if parse(packet) == .parsed { outcome = .parsed }
            }
        } catch {
            guard error.offset == taken.count else { FuzzReport.fail("\(error) is not at byte \(taken.count)") }
        }
        guard taken == Array(bytes.prefix(taken.count)), taken.count + decoder.count == bytes.count else {
            FuzzReport.fail("\(Hexadecimal.string(bytes)) was taken as \(Hexadecimal.string(taken))")
        }
        return outcome
    }

    /// A capture of any kind and link type, with such packets, and the reports in it.
    static let capture = FuzzTarget(name: "capture") { generator in
        var files: [[UInt8]] = []
        for _ in 0..<2 {
            let data = packet(&generator)
            let links: [UInt32] = [187, 201, 251, 254, 256]
            let link = links.randomElement(using: &generator) ?? 187
            let number = { (value: Int) in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
            let pdu: [UInt8] =
                [0xD6, 0xBE, 0x89, 0x8E, UInt8.random(in: 0...255, using: &generator), UInt8(clamping: data.count)]
                + data
            let content =
                switch link {
                case 201: [0, 0, 0, 1] + data
                case 254: [0, 0, 0, UInt8.random(in: 0...20, using: &generator)] + data.dropFirst()
                case 251: pdu
                default: data
                }
            files.append(
                number(0xA1B2_C3D4) + [2, 0, 4, 0] + number(0) + number(0) + number(65535) + number(Int(link))
                    + number(1) + number(2)
                    + number(content.count) + number(content.count) + content)
            let padded = content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
            files.append(
                number(0x0A0D_0D0A) + number(28) + number(0x1A2B_3C4D) + [1, 0, 0, 0] + number(-1) + number(-1)
                    + number(28) + number(1)
                    + number(20) + [UInt8(link & 0xFF), UInt8(link >> 8), 0, 0] + number(0) + number(20) + number(6)
                    + number(32 + padded.count) + number(0) + number(1) + number(2) + number(content.count)
                    + number(content.count) + padded
                    + number(32 + padded.count))
        }
        return Mutation.damaged(files, &generator)
    } parse: { bytes in
        guard var reader = CaptureReader(startingWith: bytes.prefix(8)) else { return .refused }
        reader.append(bytes.dropFirst(8))
        var assembler = ReportAssembler()
        var outcome = Outcome.refused
        do throws(CaptureFault) {
            while let packet = try reader.next() {
                outcome = .parsed
                guard case .event(let event) = packet.packet else { continue }
                for report in (try? event.parameters(as: LEExtendedAdvertisingReport.self))?.reports ?? [] {
                    _ = assembler.take(report)
                }
            }
        } catch {
            return outcome
        }
        guard reader.offset <= bytes.count else {
            FuzzReport.fail("\(Hexadecimal.string(bytes)) is read beyond its end")
        }
        return outcome
    }

    /// A btsnoop file of such packets, in one of the three supported datalinks.
    static let btsnoop = FuzzTarget(name: "btsnoop") { generator in
        let datalinks: [BtsnoopDatalink] = [.plain, .h4, .monitor, BtsnoopDatalink(rawValue: 1003)]
        var file = BtsnoopHeader(datalink: datalinks.randomElement(using: &generator) ?? .h4).serialized()
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let data = packet(&generator).dropFirst(Int.random(in: 0...1, using: &generator))
            file += BtsnoopRecord(
                originalLength: UInt32(data.count), flags: UInt32.random(in: 0...20, using: &generator),
                cumulativeDrops: 0, timestamp: Int64.random(in: .min ... .max, using: &generator), data: Array(data)
            ).serialized()
        }
        return Bool.random(using: &generator) ? Mutation.damaged([file], &generator) : file
    } parse: { bytes in
        var reader = BtsnoopReader()
        reader.append(bytes)
        var taken = BtsnoopHeader(datalink: .h4).serialized().count
        var outcome = Outcome.refused
        do throws(WireError) {
            while let record = try reader.nextRecord(), let datalink = reader.datalink {
                let octets = record.serialized()
                guard octets == Array(bytes[taken..<taken + octets.count]) else {
                    FuzzReport.fail("\(Hexadecimal.string(bytes)) does not contain the record \(record)")
                }
                taken += octets.count
                if CapturedPacket(record, datalink: datalink) != nil { outcome = .parsed }
            }
        } catch {
            guard 0...bytes.count ~= error.offset else { FuzzReport.fail("\(error) is outside of its input") }
        }
        return outcome
    }

    /// A packet with a valid header and random parameters.
    private static func packet(_ generator: inout SplitMix64) -> [UInt8] {
        let type = HCIFuzzType.all.randomElement(using: &generator)
        let isSmall = Bool.random(using: &generator)
        let parameters = Mutation.noise(160, &generator).map { isSmall && $0 > 0x40 ? $0 & 0x03 : $0 }
        let packet: HCIPacket =
            switch (type, Int.random(in: 0..<8, using: &generator)) {
            case (_, 0): .acl(ACLDataPacket(handle: ConnectionHandle(1), boundary: .continuing, payload: parameters))
            case (.command(let opcode, _)?, _):
                .command(HCICommandPacket(opcode: opcode, parameters: parameters))
            case (.returned(let opcode, _)?, _):
                .event(HCIEventPacket(HCICommandComplete(opcode: opcode, returnParameters: [0] + parameters)))
            case (.event(let code, let subeventCode, _)?, _):
                .event(HCIEventPacket(code: code, parameters: (subeventCode.map { [$0] } ?? []) + parameters))
            case (nil, _): .event(HCIEventPacket(code: 0xFF, parameters: parameters))
            }
        return packet.serialized()
    }

    private static func parse(_ packet: HCIPacket) -> Outcome {
        switch packet {
        case .command(let command):
            return HCIFuzzType.commands[command.opcode]?(command.parameters) ?? .refused
        case .event(let event):
            guard let complete = try? event.parameters(as: HCICommandComplete.self) else {
                let code = HCIFuzzType.EventCode(code: event.code, subeventCode: event.subeventCode)
                return HCIFuzzType.events[code]?(event.parameters) ?? .refused
            }
            return HCIFuzzType.returned[complete.opcode]?(complete.returnParameters) ?? .refused
        case .acl, .synchronous, .isochronous: return .parsed
        }
    }
}

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
