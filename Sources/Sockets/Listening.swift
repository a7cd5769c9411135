// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import NIOCore
package import NIOPosix

extension ServerBootstrap {
    /// A server whose address may have been another program's a moment ago, and which pauses accepting while the process has hardly
    /// any file descriptors left (`AcceptRest`).
    package static func accepting(on group: any EventLoopGroup) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptRest())
                }
            }
    }
}

extension HostAndPort {
    /// The place of an internet address; `nil` for an address of another kind.
    package init?(_ address: SocketAddress) {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        self.init(host: host, port: port)
    }
}

extension Channel {
    /// The other end of a connection over TCP, for people: `127.0.0.1:40112`, or `unknown`.
    package var peerText: String { remoteAddress.flatMap(HostAndPort.init).map { "\($0)" } ?? "unknown" }
}
