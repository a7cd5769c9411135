// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@testable import HostStack

@Suite struct SignallingTests {
    private static let parameters = ConnectionParameterUpdateRequest(
        minimumInterval: Ticks(80), maximumInterval: Ticks(800), latency: 0, timeout: Ticks(1000))

    static let packets: [(String, SignallingPacket.Command)] = [
        ("01 07 0200 0000", .commandReject(.notUnderstood)),
        ("01 07 0400 0100 1700", .commandReject(CommandReject(reason: 1, data: [0x17, 0]))),
        (
            "01 07 0600 0200 4000 4100",
            .commandReject(.invalidChannel(local: ChannelIdentifier(0x40), remote: ChannelIdentifier(0x41)))
        ),
        (
            "06 07 0400 4000 4100",
            .disconnectionRequest(
                DisconnectionRequest(destination: ChannelIdentifier(0x40), source: ChannelIdentifier(0x41)))
        ),
        (
            "07 07 0400 4000 4100",
            .disconnectionResponse(
                DisconnectionResponse(destination: ChannelIdentifier(0x40), source: ChannelIdentifier(0x41)))
        ),
        ("12 07 0800 5000 2003 0000 e803", .connectionParameterUpdateRequest(parameters)),
        ("13 07 0200 0100", .connectionParameterUpdateResponse(.rejected)),
        (
            "14 07 0a00 2500 4000 0002 f700 0a00",
            .creditBasedConnectionRequest(
                LECreditBasedConnectionRequest(
                    protocolServiceMultiplexer: 0x25, source: ChannelIdentifier(0x40), maximumTransmissionUnit: 512,
                    maximumPayloadSize: 247, initialCredits: 10))
        ),
        (
            "15 07 0a00 0000 0000 0000 0000 0200",
            .creditBasedConnectionResponse(.protocolServiceMultiplexerNotSupported)
        ),
        (
            "16 07 0400 4000 0100",
            .flowControlCredit(FlowControlCredit(channel: ChannelIdentifier(0x40), credits: 1))
        ),
        ("08 07 0200 abcd", .unknown(0x08, [0xAB, 0xCD])),
    ]

    @Test(arguments: packets)
    func `a packet is parsed and serialized`(_ hexadecimal: String, _ command: SignallingPacket.Command) throws {
        let bytes = try Hexadecimal.bytes(hexadecimal)
        let packet = try checkWire(SignallingPacket.self, bytes: bytes)
        #expect(packet == SignallingPacket(identifier: 7, command: command))
        if let message = command.message { try checkData(message) }
    }

    private func checkData<Message: SignallingMessage>(_ message: Message) throws {
        #expect(try checkWire(Message.self, bytes: message.serialized()) == message)
        try fuzzWire(Message.self, samples: [message.serialized()], rounds: 500)
    }

    @Test func `any bytes are parsed or rejected`() throws {
        try fuzzWire(SignallingPacket.self, samples: try Self.packets.map { try Hexadecimal.bytes($0.0) })
    }

    @Test(arguments: ["12 07 0900 5000 2003 0000 e803 00", "13 07 0300 0000 00", "13 07 0100 00", "13 07 0200 00"])
    func `a wrong length is rejected`(_ hexadecimal: String) throws {
        let bytes = try Hexadecimal.bytes(hexadecimal)
        #expect(throws: WireError.self) { _ = try SignallingPacket(parsing: bytes) }
    }

    /// The response of each role: role, command, response.
    static let exchanges: [(SignallingChannel.Role, String, String?)] = [
        // Connection parameters: a central accepts valid ones and rejects others; a peripheral rejects the command.
        (.central, "12 07 0800 5000 2003 0000 e803", "13 07 0200 0000"),
        (.central, "12 07 0800 0500 2003 0000 e803", "13 07 0200 0100"),
        (.central, "12 07 0800 2003 5000 0000 e803", "13 07 0200 0100"),
        (.central, "12 07 0800 5000 2003 f401 e803", "13 07 0200 0100"),
        (.central, "12 07 0800 5000 2003 0000 c800", "13 07 0200 0100"),
        (.central, "12 07 0800 5000 2003 0000 c900", "13 07 0200 0000"),
        (.central, "12 07 0800 5000 810c 0000 800c", "13 07 0200 0100"),
        (.central, "12 07 0800 5000 2003 0000 810c", "13 07 0200 0100"),
        (.peripheral, "12 07 0800 5000 2003 0000 e803", "01 07 0200 0000"),
        // Credit-based channels are refused, and so is their disconnection.
        (.peripheral, "14 09 0a00 2500 4000 0002 f700 0a00", "15 09 0a00 0000 0000 0000 0000 0200"),
        (.peripheral, "06 09 0400 4000 4100", "01 09 0600 0200 4000 4100"),
        (.peripheral, "16 09 0400 4000 0100", nil),
        (.peripheral, "07 09 0400 4000 4100", nil),
        (.peripheral, "15 09 0a00 0000 0000 0000 0000 0200", nil),
        // Unknown commands are rejected, except a rejection and a command without identifier.
        (.central, "17 09 0200 0000", "01 09 0200 0000"),
        (.central, "02 09 0400 0100 4000", "01 09 0200 0000"),
        (.central, "01 09 0200 0000", nil),
        (.central, "17 00 0200 0000", nil),
        (.central, "00 00 0200", nil),
        // A malformed command is rejected if its code and identifier can be read.
        (.central, "12 07 0700 5000 2003 0000 e8", "01 07 0200 0000"),
        (.central, "12 07", "01 07 0200 0000"),
        (.central, "01 07", nil),
        (.central, "12", nil),
        (.central, "", nil),
    ]

    @Test(arguments: exchanges)
    func `commands get a response`(_ role: SignallingChannel.Role, _ received: String, _ sent: String?) throws {
        var channel = SignallingChannel(role: role)
        let outputs = channel.receive(try Hexadecimal.bytes(received))
        let expected = try sent.map { SignallingChannel.Output.send(try Hexadecimal.bytes($0)) }
        #expect(outputs.first == expected)
        #expect(channel.nextDeadline == nil)
    }

    @Test func `accepted parameters are set`() throws {
        var channel = SignallingChannel(role: .central)
        let request = try Hexadecimal.bytes("12 07 0800 5000 2003 0000 e803")
        #expect(channel.receive(request).last == .updateConnectionParameters(Self.parameters))
        var strict = SignallingChannel(role: .central, acceptsParameterUpdates: false)
        #expect(strict.receive(request) == [.send(try Hexadecimal.bytes("13 07 0200 0100"))])
    }

    @Test func `commands that are too long are rejected`() throws {
        var channel = SignallingChannel(role: .central)
        let command = [0x17, 0x09, 0xFD, 0x00] + [UInt8](repeating: 0, count: 253)
        #expect(channel.receive(command) == [.send(try Hexadecimal.bytes("01 09 0400 0100 0001"))])
    }

    @Test func `a peripheral requests parameters`() throws {
        var channel = SignallingChannel(role: .peripheral)
        let request = try Hexadecimal.bytes("12 01 0800 5000 2003 0000 e803")
        #expect(channel.request(Self.parameters, at: .seconds(1)) == [.send(request)])
        #expect(channel.request(Self.parameters, at: .seconds(1)) == [])
        #expect(channel.nextDeadline == .seconds(31))
        // A response to another request does not count.
        #expect(channel.receive(try Hexadecimal.bytes("13 02 0200 0000")) == [])
        #expect(
            channel.receive(try Hexadecimal.bytes("13 01 0200 0000"))
                == [.connectionParameterUpdateAnswered(.accepted)])
        #expect(channel.nextDeadline == nil)
        #expect(channel.receive(try Hexadecimal.bytes("13 01 0200 0000")) == [])
        #expect(
            channel.request(Self.parameters, at: .seconds(2))
                == [.send(try Hexadecimal.bytes("12 02 0800 5000 2003 0000 e803"))])
        #expect(
            channel.receive(try Hexadecimal.bytes("01 02 0200 0000"))
                == [.connectionParameterUpdateAnswered(.rejected)])
    }

    @Test func `a request without a response times out`() {
        var channel = SignallingChannel(role: .peripheral)
        _ = channel.request(Self.parameters, at: .zero)
        #expect(channel.advance(to: .milliseconds(29_999)) == [])
        #expect(channel.advance(to: .seconds(30)) == [.connectionParameterUpdateAnswered(nil)])
        #expect(channel.advance(to: .seconds(60)) == [])
    }

    @Test func `identifiers wrap around without 0`() throws {
        var channel = SignallingChannel(role: .peripheral)
        var identifiers: [UInt8] = []
        for _ in 0..<256 {
            guard case .send(let bytes) = channel.request(Self.parameters, at: .zero).first else { break }
            identifiers.append(bytes[1])
            _ = channel.receive([0x13, bytes[1], 2, 0, 0, 0])
        }
        #expect(identifiers == Array(1...255) + [1])
    }
}
