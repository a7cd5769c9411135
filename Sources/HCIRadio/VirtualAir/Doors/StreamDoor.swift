// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
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

    private init(_ channel: any Channel, at address: ServerAddress, isExposed: Bool = false, path: String? = nil) {
        self.channel = channel
        self.address = "\(address)"
        self.isExposed = isExposed
        self.path = path
    }

    /// Listens on TCP; port 0 takes a free one.
    /// - Throws: `RadioError` `.cannotServe`.
    static func open(at place: HostAndPort, _ entrance: AirEntrance) async throws(RadioError) -> StreamDoor {
        do {
            let channel = try await server(.tcp(place), entrance) { $0.eventLoop.makeSucceededFuture(true) }
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(host: place.host, port: place.port).get()
            let bound = channel.localAddress.flatMap(HostAndPort.init) ?? place
            return StreamDoor(channel, at: .tcp(bound), isExposed: !bound.isLoopback)
        } catch {
            throw failure(
                "\(place)", SystemErrorText.words(error),
                hint: "stop the program that uses the port, or choose another "
                    + "(--hci-server tcp:127.0.0.1:0 takes a free one)")
        }
    }

    /// Listens on a Unix socket, for this user and root. The file of a program that was killed is replaced.
    /// - Throws: `RadioError` `.cannotServe`.
    static func open(at path: String, _ entrance: AirEntrance) async throws(RadioError) -> StreamDoor {
        let address = ServerAddress.unix(path)
        if let obstacle = SocketFile.obstacle(at: path) {
            throw failure("\(address)", obstacle.clause, hint: otherPath)
        }
        do {
            let channel = try await server(address, entrance, admits: PeerCredentials.isOwnerOrRoot)
                .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: SocketFile.isAbandoned(path)).get()
            // Other users cannot connect then. Between bind and chmod they can, and their credentials are refused.
            chmod(path, 0o600)
            return StreamDoor(channel, at: address, path: path)
        } catch {
            throw failure("\(address)", SystemErrorText.words(error), hint: otherPath)
        }
    }

    private static let otherPath = "stop the program that listens there, or choose another path"

    private static func failure(_ place: String, _ reason: String, hint: String) -> RadioError {
        RadioError(.cannotServe, "cannot listen on \(place) for other hosts: \(reason)", hint: hint)
    }

    /// A server that puts the host of each connection on the air.
    /// - Parameter admits: whether a connection is served; others are closed.
    private static func server(
        _ address: ServerAddress, _ entrance: AirEntrance,
        admits: @escaping @Sendable (any Channel) -> EventLoopFuture<Bool>
    ) -> ServerBootstrap {
        let bound = NIOLoopBound(entrance, eventLoop: entrance.air.loop)
        return ServerBootstrap.accepting(on: entrance.air.loop)
            .childChannelInitializer { channel in
                admits(channel).flatMapThrowing { isAdmitted in
                    guard isAdmitted else { throw ChannelError.alreadyClosed }
                    try admit(channel, from: address, bound.value)
                }
            }
    }

    private static func admit(_ channel: any Channel, from address: ServerAddress, _ entrance: AirEntrance) throws {
        let local = channel.localAddress.flatMap(HostAndPort.init).map(ServerAddress.tcp) ?? address
        try AirVisit(entrance).join(over: channel, transport: "\(local)", peer: channel.peerText)
    }

    func close() async {
        // Before the socket closes: afterwards the path could belong to another program.
        if let path { unlink(path) }
        try? await channel.close().get()
    }
}

extension H4StreamHandler: DoorConnection {}
