// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import NIOCore
import NIOPosix
import Radio
import Sockets
import VirtualRadio

/// A TCP server of controllers on a live air, with H4 in both directions: every connection has a controller of its own.
final class AirServer {
    /// Its address, as `--hci-server` takes it: `tcp:127.0.0.1:6402`.
    let name: String
    /// Whether it is reachable only from this machine.
    let isLocal: Bool
    private let channel: any Channel

    /// Listens on an address; port 0 picks a free port.
    /// - Parameter report: called with the events of hosts, on the air's event loop.
    /// - Throws: `RadioError` `.cannotServe` if the port is in use.
    static func start(
        on host: String, port: Int, controllers: ServedControllers, air: LiveAir,
        report: @escaping @Sendable (HostEvent) -> Void
    ) async throws(RadioError) -> AirServer {
        let bound = NIOLoopBound((air: air, controllers: controllers), eventLoop: air.loop)
        do {
            let channel = try await ServerBootstrap(group: air.loop)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AcceptRest())
                    }
                }
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let visitor = AirVisitor(air: bound.value.air, controllers: bound.value.controllers)
                        try channel.pipeline.syncOperations.addHandler(visitor.handler)
                        visitor.join(
                            transport: channel.localAddress.map(AirServer.name) ?? "tcp",
                            peer: channel.remoteAddress.map(AirServer.place) ?? "unknown", report: report)
                    }
                }
                .bind(host: host, port: port).get()
            guard let address = channel.localAddress else {
                throw ChannelError.unknownLocalAddress
            }
            return AirServer(channel, address)
        } catch {
            throw RadioError(
                .cannotServe,
                "cannot listen on \(place(host, port)) for other hosts: \(SystemErrorText.words(error))",
                hint: "stop the program that uses the port, or choose another "
                    + "(--hci-server tcp:127.0.0.1:0 takes a free one)")
        }
    }

    private init(_ channel: any Channel, _ address: SocketAddress) {
        self.channel = channel
        name = Self.name(of: address)
        isLocal = address.ipAddress.map { $0.hasPrefix("127.") || $0 == "::1" } ?? false
    }

    /// An address as `--hci-server` takes it.
    static func name(of address: SocketAddress) -> String { "tcp:\(place(of: address))" }

    private static func place(of address: SocketAddress) -> String { place(address.ipAddress ?? "", address.port ?? 0) }

    /// A host and a port; an IPv6 address has brackets (RFC 3986, 3.2.2).
    private static func place(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Stops listening; existing connections end with the air.
    func close() async {
        try? await channel.close().get()
    }
}

/// A host that is connected over TCP.
private final class AirVisitor: ControllerLinkUser, AirDelegate {
    private let air: LiveAir
    private let controllers: ServedControllers
    private let configuration: ControllerConfiguration
    private var identifier: ControllerIdentifier?
    private var reporter: HostReporter?
    private var isReading = true
    /// Retains this object while the connection lasts.
    private var itself: AirVisitor?
    private(set) lazy var handler = H4StreamHandler(user: self)

    init(air: LiveAir, controllers: ServedControllers) {
        self.air = air
        self.controllers = controllers
        configuration = controllers.take()
    }

    func join(transport: String, peer: String, report: @escaping (HostEvent) -> Void) {
        itself = self
        identifier = air.join(configuration, delegate: self)
        reporter = HostReporter(configuration, transport: transport, peer: peer, report: report)
        handler.onWritable = { [weak self] in
            guard let self, let identifier else { return }
            air.resume(identifier)
        }
    }

    func linkReceived(_ packet: HCIPacket) {
        guard let identifier else { return }
        air.receive(packet, from: identifier)
        reporter?.sent(packet, by: identifier, on: air)
        if isReading, !air.canAccept(from: identifier) {
            isReading = false
            handler.setReading(false)
        }
    }

    func linkEnded(_ reason: String) { leave() }

    func linkRefused(_ reason: String) { leave(refusal: reason) }

    private func leave(refusal: String? = nil) {
        if let identifier {
            air.leave(identifier)
            controllers.release(configuration)
        }
        identifier = nil
        itself = nil
        reporter?.left(refusal: refusal)
        reporter = nil
    }

    func airEnded() {
        identifier = nil
        handler.close()
    }

    func airHasPackets() {
        guard let identifier else { return }
        var isRemoved = false
        while handler.isWritable, let packet = air.takePacket(of: identifier) {
            handler.write(packet)
            reporter?.received(packet)
            if configuration.isRemoved(after: packet) { isRemoved = true }
        }
        handler.flush()
        if isRemoved {
            controllers.noteRemoval()
            return handler.close()
        }
        if !isReading, air.canAccept(from: identifier) {
            isReading = true
            handler.setReading(true)
        }
    }
}
