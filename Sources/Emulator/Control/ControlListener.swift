// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Sockets

/// A listening Unix domain socket, and the connections that it accepts.
///
/// Each accepted connection must be used once, since an asynchronous channel traps when it is discarded unused. The server
/// bootstrap of NIO discards those that it accepts at the moment when its socket is closed; here they are closed.
struct ControlListener: Sendable {
    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// The bytes that wait for a client: the events for one that does not read take as much memory several times.
    private static let writeBuffer = ChannelOptions.Types.WriteBufferWaterMark(low: 2048, high: 4096)

    private let channel: any Channel
    /// The accepted connections, until the listener is closed.
    let connections: AsyncStream<Connection>

    /// Listens at a path, where it replaces a socket that no process listens on.
    /// - Throws: an `IOError` or a `ChannelError` if the socket cannot be created.
    init(path: String) async throws {
        let (connections, accepted) = AsyncStream.makeStream(of: Connection.self)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptRest())
                }
            }
            // A client that has sent all its requests still reads the answers.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: Self.writeBuffer)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = try Connection(wrappingChannelSynchronously: channel)
                    if case .terminated = accepted.yield(connection) { Task { await connection.close() } }
                }
            }
            .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
        channel.closeFuture.whenComplete { _ in accepted.finish() }
        self.channel = channel
        self.connections = connections
    }

    /// Ends listening, and `connections` with it.
    func stop() { channel.close(promise: nil) }

    /// Ends listening, and closes the connections that no task has taken.
    func close() async {
        stop()
        for await connection in connections { await connection.close() }
    }
}

extension NIOAsyncChannel {
    /// Closes a connection that is not served.
    func close() async { try? await executeThenClose { _, _ in } }
}
