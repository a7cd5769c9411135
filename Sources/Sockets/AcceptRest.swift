// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Pauses accepting after an error, when the system has no room for another connection: the next attempt would fail at
/// once, in a busy loop.
///
/// Add it to the pipeline of the server's channel, before the handler that ends the server on an error.
package final class AcceptRest: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private let pause: TimeAmount

    /// - Parameter pause: the time without accepting after an error.
    package init(pause: TimeAmount = .milliseconds(200)) { self.pause = pause }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenFailure { _ in }
        context.eventLoop.scheduleTask(in: pause) {
            channel.setOption(.autoRead, value: true).whenFailure { _ in }
        }
    }
}
