// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Sockets
import Testing

@testable import HCIRadio

struct AirServerTests {
    @Test(arguments: [
        ("127.0.0.1", 6402, "tcp:127.0.0.1:6402"), ("0.0.0.0", 1, "tcp:0.0.0.0:1"), ("::1", 18099, "tcp:[::1]:18099"),
    ])
    func nameIsAnOptionOfHCIServer(_ host: String, _ port: Int, _ name: String) throws {
        #expect(AirServer.name(of: try SocketAddress(ipAddress: host, port: port)) == name)
    }

    /// The values that autoRead was set to.
    private static func readings(of channel: EmbeddedChannel) -> [Bool] {
        channel.options.filter { $0.option is ChannelOptions.Types.AutoReadOption }.compactMap { $0.value as? Bool }
    }

    /// Without room for another connection, a server stops accepting for a while, instead of failing in a loop.
    @Test func acceptingPausesAfterAnError() throws {
        let channel = EmbeddedChannel(handler: AcceptRest(pause: .milliseconds(200)))
        channel.pipeline.fireErrorCaught(IOError(errnoCode: 24, reason: "accept"))
        #expect(Self.readings(of: channel) == [false])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(199))
        #expect(Self.readings(of: channel) == [false])
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(Self.readings(of: channel).last == true)
        // The error was not passed on.
        try channel.throwIfErrorCaught()
        _ = try channel.finish()
    }
}
