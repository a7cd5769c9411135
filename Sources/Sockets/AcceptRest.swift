// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import NIOCore

/// Pauses accepting while the process has hardly any file descriptors left, and after an error, when the next attempt would
/// fail at once, in a busy loop. Connections wait in the backlog of the socket.
///
/// Some descriptors are left for the rest of the process: libdispatch traps if it cannot open a file of `/proc`.
///
/// Add it to the pipeline of the server's channel, before the handler that ends the server on an error.
package final class AcceptRest: ChannelInboundHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel

    private let pause: TimeAmount

    /// - Parameter pause: the time without accepting.
    package init(pause: TimeAmount = .milliseconds(200)) { self.pause = pause }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        if !FreeDescriptors.areEnough { Self.rest(context.channel, for: pause) }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        Self.rest(context.channel, for: pause)
    }

    private static func rest(_ channel: any Channel, for pause: TimeAmount) {
        channel.setOption(.autoRead, value: false).whenFailure { _ in }
        channel.eventLoop.scheduleTask(in: pause) {
            guard FreeDescriptors.areEnough else { return rest(channel, for: pause) }
            channel.setOption(.autoRead, value: true).whenFailure { _ in }
        }
    }
}

/// The file descriptors that the process may still open.
private enum FreeDescriptors {
    /// More than the connections that are accepted together.
    private static let reserve: rlim_t = 12

    /// Whether there are more than the reserve.
    static var areEnough: Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        // The new descriptor is the lowest free one.
        let lowest = open("/", O_RDONLY | O_CLOEXEC)
        guard lowest >= 0 else { return false }
        close(lowest)
        return rlim_t(lowest) + reserve < limit.rlim_cur
    }
}
