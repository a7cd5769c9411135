// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCI
import NIOCore
import NIOPosix
import TestTraits
import Testing

@testable import HCIRadio

@Suite(.realTime, .timeLimit(.minutes(10)))
struct PacketDescriptorTests {
    private final class User: ControllerLinkUser {
        let ended: AsyncStream<String>.Continuation

        init(_ ended: AsyncStream<String>.Continuation) { self.ended = ended }

        func linkReceived(_ packet: HCIPacket) {}

        func linkEnded(_ reason: String) { ended.yield(reason) }
    }

    /// A socket of an adapter that was removed has an error, and nothing to read; so has a datagram socket whose peer does
    /// not exist.
    @Test func errorWithoutDataEndsTheLink() async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        // The port of no server.
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let isConnected = address.withSockAddr { connect(descriptor, $0, socklen_t($1)) }
        #expect(isConnected == 0)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let link = try await loop.submit { [descriptor] in
            let user = User(continuation)
            let link = PacketDescriptor(descriptor, loop: loop, user: user)
            link.send(.command(HCICommandPacket(HCIReset())))
            return NIOLoopBound((link, user), eventLoop: loop)
        }.get()
        var reasons = stream.makeAsyncIterator()
        #expect(await reasons.next()?.contains("ECONNREFUSED") == true)
        try await loop.submit { link.value.0.close() }.get()
    }
}
