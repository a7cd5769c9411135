// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import NIOCore
import NIOHTTP2
import NIOPosix
import Sockets

/// Where the calls of a server go; used on the event loop of the server.
package protocol PacketServerDelegate: AnyObject {
    /// A Bluetooth chip joins. The channel of its call carries H4 (Core 5.4, Vol 4, Part A) in both directions; its handlers are
    /// to be added now. They close it, or the device does.
    /// - Parameter peer: the other end of the connection, for people.
    /// - Returns: a function that is called with the reason, a clause, when the call ends because of what the device sent.
    func join(_ chip: ChipInformation, on channel: any Channel, peer: String) throws -> (_ reason: String) -> Void
    /// A device has a radio that is not served. Its call stays, and what it sends is dropped.
    func ignore(_ chip: ChipInformation, peer: String)
    /// A connection or a call ended, before a chip joined, because of what came over it; the reason is a clause for people.
    func refuse(_ reason: String, peer: String)
}

/// A server of netsim's `PacketStreamer` for emulators: gRPC over HTTP/2, without TLS.
///
/// Each call carries the packets of one chip. A connection may have 64 calls, a server 256 connections.
package final class PacketServer {
    /// The connections that are open at once; further ones are closed.
    package static let connectionLimit = 256
    /// The calls of a connection that are open at once (HTTP/2, SETTINGS_MAX_CONCURRENT_STREAMS).
    package static let callLimit = 64
    /// The longest list of headers, in bytes, as the library of HTTP/2 limits it.
    package static let headerLimit = 16_384
    /// How long a call may take to send its chip information, and a connection without calls may stay.
    package static let chipTimeout = TimeAmount.seconds(10)
    package static let idleTimeout = TimeAmount.seconds(60)
    /// The bytes that wait for a device before the packets of its controller wait in the controller.
    static let outboundLimit = 65_536
    /// The calls that a connection may cancel, and the faults of calls that it may have, in 30 s: tests come and go often.
    static let cancellationLimit = 10_000
    /// The bytes that are read of a connection before others have their turn: frames of one byte are work, too.
    static let bytesInOneGo = 4_096

    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    /// Listens, and accepts calls.
    /// - Parameters:
    ///   - place: port 0 takes a free one.
    ///   - loop: where everything happens.
    /// - Throws: an error of the channel if it cannot listen.
    package static func open(
        at place: HostAndPort, on loop: any EventLoop, for delegate: any PacketServerDelegate
    ) async throws -> PacketServer {
        let connections = NIOLoopBound(Connections(delegate), eventLoop: loop)
        let channel = try await ServerBootstrap.accepting(on: loop)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: bytesInOneGo))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try connections.value.admit(channel) }
            }
            .bind(host: place.host, port: place.port).get()
        return PacketServer(channel)
    }

    /// Accepts the calls of one connection, whose channel is not active yet.
    package static func accept(_ channel: any Channel, for delegate: any PacketServerDelegate) throws {
        try Connections(delegate).admit(channel)
    }

    /// Where it listens.
    package var address: SocketAddress? { channel.localAddress }

    /// Stops accepting connections; those that are there stay until their handlers or devices close them.
    package func close() async { try? await channel.close().get() }
}

/// The connections of a server; it lives on its event loop.
private final class Connections {
    private let delegate: any PacketServerDelegate
    private var count = 0

    init(_ delegate: any PacketServerDelegate) { self.delegate = delegate }

    func admit(_ channel: any Channel) throws {
        guard count < PacketServer.connectionLimit else {
            delegate.refuse("\(PacketServer.connectionLimit) connections are open already", peer: channel.peerText)
            throw ChannelError.alreadyClosed
        }
        count += 1
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.count -= 1 }
        try configure(channel, peer: channel.peerText)
    }

    private func configure(_ channel: any Channel, peer: String) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: PacketServer.callLimit),
            HTTP2Setting(parameter: .maxHeaderListSize, value: PacketServer.headerLimit),
        ]
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.outboundBufferSizeHighWatermark = PacketServer.outboundLimit
        stream.outboundBufferSizeLowWatermark = PacketServer.outboundLimit / 2
        stream.streamResetFrameRateLimit.maximumCount = PacketServer.cancellationLimit
        stream.streamErrorRateLimit.maximumCount = PacketServer.cancellationLimit
        var management = NIOHTTP2ServerConnectionManagementHandler.Configuration.defaults
        management.maxIdleTime = PacketServer.idleTimeout
        management.maxGraceTime = .seconds(5)
        management.keepalive = nil
        let manager = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop, configuration: management)
        let delegate = NIOLoopBound(delegate, eventLoop: channel.eventLoop)
        let pipeline = channel.pipeline.syncOperations
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: connection, streamConfiguration: stream,
            streamDelegate: manager.http2StreamDelegate
        ) { call in
            call.eventLoop.makeCompletedFuture {
                try call.pipeline.syncOperations.addHandler(CallHandler(delegate.value, peer: peer))
            }
        }
        try pipeline.addHandlers(manager, ConnectionFaults(self.delegate, peer: peer))
    }
}

/// Reports what ends a connection that does not carry HTTP/2.
private final class ConnectionFaults: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let delegate: any PacketServerDelegate
    private let peer: String
    private var isReported = false

    init(_ delegate: any PacketServerDelegate, peer: String) {
        self.delegate = delegate
        self.peer = peer
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let fault = HTTP2Fault(error)
        if !isReported, let reason = fault.reason {
            isReported = true
            delegate.refuse(reason, peer: peer)
        }
        guard case .ofCall = fault else { return context.close(promise: nil) }
        // The call was reset; further ones are reported, too.
        isReported = false
    }
}

/// What an error of a connection means.
private enum HTTP2Fault {
    /// A call of the connection was reset because of its headers; the others go on.
    case ofCall(String)
    /// What came over the connection ends it.
    case ofConnection(String)
    /// The connection failed.
    case none

    init(_ error: any Error) {
        let name = "\(type(of: error))"
        switch error {
        case is NIOHTTP2Errors.BadClientMagic: self = .ofConnection("it does not speak HTTP/2")
        case is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader,
            is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
            is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.InvalidPseudoHeaders,
            is NIOHTTP2Errors.InvalidPseudoHeaderValue, is NIOHTTP2Errors.EmptyPathHeader,
            is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue,
            is NIOHTTP2Errors.ForbiddenHeaderField, is NIOHTTP2Errors.TrailersWithoutEndStream:
            self = .ofCall("the headers of a call are malformed (\(name))")
        // What is on the way to a call that has ended.
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.StreamClosed:
            self = .ofCall("")
        default:
            let isOfSystem = SystemErrorText.code(of: error) != nil || error is ChannelError
            self = isOfSystem ? .none : .ofConnection("it breaks the rules of HTTP/2 (\(name))")
        }
    }

    /// The reason for people; `nil` if there is nothing to report.
    var reason: String? {
        switch self {
        case .ofCall(let reason), .ofConnection(let reason): reason.isEmpty ? nil : reason
        case .none: nil
        }
    }
}
