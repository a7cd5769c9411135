// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

/// A golden H4 packet and its value; the type, opcode, length and parameters are all checked.
struct WireSample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The command's opcode, for a command.
    var opcode: HCIOpcode?
    /// The whole packet.
    let bytes: [UInt8]
    let check: @Sendable (_ bytes: [UInt8]) throws -> Void

    /// A command as the host sends it.
    static func command<Command: HCICommand>(_ hexadecimal: String, _ value: Command) -> WireSample {
        sample("\(Command.self)", Command.opcode, hexadecimal) { bytes in
            let packet = HCICommandPacket(value)
            #expect(try checkWire(HCIPacket.self, bytes: bytes) == .command(packet))
            #expect(try packet.parameters(as: Command.self) == value)
            try checkParameters(value, packet.parameters)
        }
    }

    /// An event as the controller sends it.
    static func event<Event: HCIEvent>(_ hexadecimal: String, _ value: Event) -> WireSample {
        sample("\(Event.self)", nil, hexadecimal) { bytes in
            let packet = HCIEventPacket(value)
            #expect(try checkWire(HCIPacket.self, bytes: bytes) == .event(packet))
            #expect(try packet.parameters(as: Event.self) == value)
            try checkParameters(value, packet.parameters)
        }
    }

    /// The event of a successful command.
    static func returned<Command: HCIReturningCommand>(
        _: Command.Type, _ hexadecimal: String, _ value: Command.Returned
    ) -> WireSample {
        sample("return parameters of \(Command.self)", nil, hexadecimal) { bytes in
            guard case .event(let packet) = try checkWire(HCIPacket.self, bytes: bytes) else {
                Issue.record("not an event")
                return
            }
            let complete = try packet.parameters(as: HCICommandComplete.self)
            #expect(try complete.returned(of: Command.self) == value)
            let again = HCICommandComplete(
                commandCredits: complete.commandCredits, Command.self, returning: value)
            #expect(again == complete)
            try checkParameters(value, complete.returnParameters)
        }
    }

    private static func sample(
        _ description: String, _ opcode: HCIOpcode?, _ hexadecimal: String,
        check: @escaping @Sendable ([UInt8]) throws -> Void
    ) -> WireSample {
        // Invalid hexadecimal gives an empty sample, which fails as a packet.
        WireSample(
            testDescription: description, opcode: opcode, bytes: (try? Hexadecimal.bytes(hexadecimal)) ?? [],
            check: check)
    }

    private static func checkParameters<Value: WireCodable & Equatable>(_ value: Value, _ bytes: [UInt8]) throws {
        #expect(try checkWire(Value.self, bytes: bytes) == value)
        try fuzzWire(Value.self, samples: [bytes], rounds: 500)
    }
}

extension WireSample {
    static let all: [WireSample] =
        classicLinkCommands + classicSettingCommands + controllerCommands + legacyCommands + connectionCommands
        + extendedCommands + events + lowEnergyEvents
}

extension BluetoothAddress {
    /// An address of a test; zero for an invalid one.
    static func of(_ text: String) -> BluetoothAddress { BluetoothAddress(text) ?? .zero }
}

extension Octets {
    /// Bytes of a test in wire order; zeros for invalid hexadecimal.
    static func of(_ hexadecimal: String) -> Self {
        (try? Hexadecimal.bytes(hexadecimal)).flatMap { Self($0) } ?? .zero
    }
}

@Suite struct WireSampleTests {
    @Test(arguments: WireSample.all) func isReadAndWritten(_ sample: WireSample) throws {
        try sample.check(sample.bytes)
    }

    /// Commands with a bit among the supported commands, and vendor commands, which have none.
    @Test func everyCommandHasASample() {
        let sampled = Set(WireSample.all.compactMap(\.opcode))
        let known = (UInt16.min...UInt16.max).map(HCIOpcode.init(rawValue:)).filter {
            SupportedCommands().contains($0) != nil
        }
        #expect(known.filter { !sampled.contains($0) } == [])
        #expect(sampled.subtracting(known) == [VendorWriteBDADDR.opcode, VendorSetPosition.opcode])
        #expect(sampled == Set(HCICommands.definitions.keys))
    }

    @Test func everyEventAndEveryReturnParameterHasASample() {
        let sampled = Set(WireSample.all.map(\.testDescription))
        for event in HCIEvents.all {
            #expect(sampled.contains("\(event)"), "\(event)")
        }
        for command in HCICommands.all where command is any HCIReturningCommand.Type {
            #expect(sampled.contains("return parameters of \(command)"), "\(command)")
        }
    }
}
