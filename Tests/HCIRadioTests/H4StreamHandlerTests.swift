// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import NIOCore
import NIOEmbedded
import Testing

@testable import HCIRadio

/// Streams of packets, and users that stop reading.
@Suite final class H4StreamHandlerTests {
    /// The number of packets after which the user stops reading.
    private final class Reader: ControllerLinkUser {
        weak var handler: H4StreamHandler?
        var appetite = Int.max
        var answers = false
        private(set) var packets: [HCIPacket] = []
        private(set) var reasons: [String] = []

        func linkReceived(_ packet: HCIPacket) {
            packets.append(packet)
            if answers {
                handler?.write(packet)
                handler?.flush()
            }
            appetite -= 1
            if appetite == 0 { handler?.setReading(false) }
        }

        func linkEnded(_ reason: String) { reasons.append(reason) }
    }

    private let user = Reader()
    private let handler: H4StreamHandler
    private let channel: EmbeddedChannel
    private let commands = (0..<5).map {
        HCIPacket.command(HCICommandPacket(opcode: HCIOpcode(rawValue: $0), parameters: []))
    }

    init() throws {
        handler = H4StreamHandler(user: user)
        user.handler = handler
        channel = EmbeddedChannel(handler: handler)
        _ = channel.connect(to: try SocketAddress(unixDomainSocketPath: "/nowhere"))
    }

    // An open channel retains itself until it is closed and its last task has run; some tests have closed it.
    deinit {
        _ = try? channel.finish()
        channel.embeddedEventLoop.run()
    }

    private func arrive(_ octets: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: octets)) }

    @Test func packetsWaitWhileTheUserDoesNotRead() throws {
        user.appetite = 2
        try arrive(commands.flatMap { $0.serialized() })
        #expect(user.packets == Array(commands[..<2]))
        user.appetite = 1
        handler.setReading(true)
        #expect(user.packets == Array(commands[..<3]))
        try arrive(commands[0].serialized())
        #expect(user.packets == Array(commands[..<3]))
        user.appetite = .max
        handler.setReading(true)
        #expect(user.packets == commands + [commands[0]])
        try arrive(commands[1].serialized())
        #expect(user.packets.count == 7)
    }

    @Test func busyStreamYieldsToOthers() throws {
        user.answers = true
        try arrive([[UInt8]](repeating: commands[0].serialized(), count: 200).flatMap { $0 })
        #expect(user.packets.count == 64)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        channel.embeddedEventLoop.run()
        #expect(user.packets.count == 200)
        // The answers of a turn are sent together; each has four bytes.
        var answered: [Int] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { answered.append(buffer.readableBytes / 4) }
        #expect(answered.first == 64)
        #expect(answered.reduce(0, +) == 200)
    }

    @Test func malformedPacketEndsTheStream() throws {
        try arrive(commands[0].serialized() + [9] + commands[1].serialized())
        #expect(user.packets == [commands[0]])
        #expect(user.reasons.count == 1)
        #expect(!channel.isActive)
        try? arrive(commands[1].serialized())
        #expect(user.packets == [commands[0]] && user.reasons.count == 1)
    }

    @Test func malformedPacketWaitsForEarlierPackets() throws {
        user.appetite = 1
        try arrive(commands[0].serialized() + [9])
        #expect(user.reasons.isEmpty && channel.isActive)
        handler.setReading(true)
        #expect(user.reasons.count == 1 && !channel.isActive)
    }

    @Test func endOfTheStreamIsReportedOnce() throws {
        try arrive([1, 3])
        try #require(try channel.finish().isClean)
        #expect(user.packets.isEmpty && user.reasons.count == 1)
    }
}
