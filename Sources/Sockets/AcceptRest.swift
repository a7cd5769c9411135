// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Pauses a server's accepting when the system has no room for another connection: another attempt at once would fail at
/// once, in a loop that does nothing else.
///
/// It belongs into the pipeline of the server's channel, in front of what ends the server on an error.
package final class AcceptRest: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private let pause: TimeAmount

    /// - Parameter pause: how long to accept nothing after an error.
    package init(pause: TimeAmount = .milliseconds(200)) { self.pause = pause }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenFailure { _ in }
        context.eventLoop.scheduleTask(in: pause) {
            channel.setOption(.autoRead, value: true).whenFailure { _ in }
        }
    }
}
