// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import VirtualRadio

extension FuzzTarget {
    /// Commands of a host to a controller for BR/EDR and LE: each is answered once, and its return parameters can be read, as can
    /// the events of the controller.
    static let controller = FuzzTarget(name: "controller", divisor: 4) { generator in
        var stream: [UInt8] = []
        for _ in 0..<Int.random(in: 1...6, using: &generator) { stream += command(&generator) }
        return Int.random(in: 0..<4, using: &generator) == 0 ? Mutation.damaged([stream], &generator) : stream
    } parse: { bytes in
        var decoder = H4Decoder()
        decoder.append(bytes)
        var air = Air(AirConfiguration(seed: 1))
        let host = air.addController(
            ControllerConfiguration(publicAddress: BluetoothAddress(bits: 1), character: .dualMode))
        var outcome = Outcome.refused
        while let packet = (try? decoder.next()) ?? nil {
            air.receive(packet, from: host)
            if case .command(let command) = packet, answer(to: command, &air, host) { outcome = .parsed }
            air.advance(to: air.now + 20_000)
            while let event = air.takeOutput(of: host) { check(event) }
        }
        air.advance(to: air.now + 100_000_000)
        while let event = air.takeOutput(of: host) { check(event) }
        return outcome
    }

    /// The lengths of parameters with which each command can be read if they are zeros.
    private static let lengths: [(opcode: HCIOpcode, length: Int)] = HCICommands.all.map { command in
        let parser = HCIFuzzType.commands[command.opcode]
        let length = (0...255).first { parser?([UInt8](repeating: 0, count: $0)) == .parsed } ?? 0
        return (command.opcode, length)
    }

    private static func command(_ generator: inout SplitMix64) -> [UInt8] {
        guard let (opcode, length) = lengths.randomElement(using: &generator) else { return [] }
        let limit: UInt8 = [1, 3, 0x30, 0xFF].randomElement(using: &generator) ?? 0xFF
        let extra = Int.random(in: 0..<8, using: &generator) == 0 ? Int.random(in: 0...20, using: &generator) : 0
        let parameters = (0..<min(255, length + extra)).map { _ in UInt8.random(in: 0...limit, using: &generator) }
        return HCIPacket.command(HCICommandPacket(opcode: opcode, parameters: parameters)).serialized()
    }

    /// Whether a command succeeded; it must have been answered once, the flow control of the host excepted.
    private static func answer(
        to command: HCICommandPacket, _ air: inout Air, _ host: ControllerIdentifier
    ) -> Bool {
        var answers: [HCIStatus] = []
        while let packet = air.takeOutput(of: host) {
            check(packet)
            guard case .event(let event) = packet else { continue }
            if let complete = try? event.parameters(as: HCICommandComplete.self), complete.opcode == command.opcode {
                answers.append(complete.status ?? .unspecifiedError)
                if complete.status == .success, let parse = HCIFuzzType.returned[command.opcode],
                    parse(complete.returnParameters) != .parsed
                {
                    FuzzReport.fail("\(command.opcode.name) returns \(Hexadecimal.string(complete.returnParameters))")
                }
            } else if let status = try? event.parameters(as: CommandStatus.self), status.opcode == command.opcode {
                answers.append(status.status)
            }
        }
        let isSilent = command.opcode == HostNumberOfCompletedPackets.opcode && answers.isEmpty
        guard isSilent || answers.count == 1 else {
            FuzzReport.fail("\(command.opcode.name) has \(answers.count) answers: \(answers)")
        }
        return answers.first == .success
    }

    /// The events of a controller can be read.
    private static func check(_ packet: HCIPacket) {
        guard case .event(let event) = packet, event.code != HCICommandComplete.eventCode else { return }
        let code = HCIFuzzType.EventCode(code: event.code, subeventCode: event.subeventCode)
        guard HCIFuzzType.events[code]?(event.parameters) == .parsed else {
            FuzzReport.fail("event \(event.code): \(Hexadecimal.string(event.parameters))")
        }
    }
}
