// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import NIOCore
import NIOPosix
import Radio
import Sockets

/// A server with H4 in both directions over TCP or a Unix socket: every connection has a controller of its own.
final class StreamDoor: AirDoor {
    let address: String
    let isExposed: Bool
    private let channel: any Channel
    /// The file of a Unix socket, which is removed at the end.
    private let path: String?

    /// Listens.
    /// - Throws: `RadioError` `.cannotServe`.
    static func open(_ address: ServerAddress, _ entrance: AirEntrance) async throws(RadioError) -> StreamDoor {
        let bound = NIOLoopBound(entrance, eventLoop: entrance.air.loop)
        let bootstrap = ServerBootstrap(group: entrance.air.loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptRest())
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try admit(channel, from: address, bound.value) }
            }
        do {
            switch address {
            case .unix(let path):
                let channel = try await bootstrap.bind(
                    unixDomainSocketPath: path, cleanupExistingSocketFile: SocketFile.isAbandoned(path)
                ).get()
                // Users of other accounts get no controllers.
                chmod(path, 0o600)
                return StreamDoor(channel, at: "\(address)", isExposed: false, path)
            case .tcp(let place):
                let channel = try await bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .bind(host: place.host, port: place.port).get()
                guard let local = channel.localAddress.flatMap(HostAndPort.init) else {
                    throw ChannelError.unknownLocalAddress
                }
                let isLocal = local.host.hasPrefix("127.") || local.host == "::1"
                return StreamDoor(channel, at: "\(ServerAddress.tcp(local))", isExposed: !isLocal, nil)
            case .kernel: preconditionFailure("the kernel is no server")
            }
        } catch {
            throw failure(of: address, SystemErrorText.words(error))
        }
    }

    private static func failure(of address: ServerAddress, _ reason: String) -> RadioError {
        let (place, hint) =
            if case .tcp(let place) = address {
                (
                    "\(place)",
                    "stop the program that uses the port, or choose another (--hci-server tcp:127.0.0.1:0 takes a free one)"
                )
            } else {
                ("\(address)", "stop the program that listens there, or choose another path")
            }
        return RadioError(.cannotServe, "cannot listen on \(place) for other hosts: \(reason)", hint: hint)
    }

    /// Puts the host of a connection on the air.
    private static func admit(_ channel: any Channel, from address: ServerAddress, _ entrance: AirEntrance) throws {
        let visit = AirVisit(entrance)
        let handler = H4StreamHandler(user: visit)
        try channel.pipeline.syncOperations.addHandler(handler)
        handler.onWritable = { [weak visit] in visit?.resume() }
        let local = channel.localAddress.flatMap(HostAndPort.init).map { "\(ServerAddress.tcp($0))" }
        let remote = channel.remoteAddress.flatMap(HostAndPort.init).map { "\($0)" }
        visit.join(over: handler, transport: local ?? "\(address)", peer: remote ?? "unknown")
    }

    private init(_ channel: any Channel, at address: String, isExposed: Bool, _ path: String?) {
        self.channel = channel
        self.address = address
        self.isExposed = isExposed
        self.path = path
    }

    func close() async {
        try? await channel.close().get()
        if let path { unlink(path) }
    }
}

extension H4StreamHandler: HostConnection {}

extension HostAndPort {
    /// The place of an internet address; `nil` for an address of another kind.
    init?(_ address: SocketAddress) {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        self.init(host: host, port: port)
    }
}
