// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// The control socket of a run: JSON lines in, JSON lines out, for the user who runs it and for root.
public struct ControlServer: Service {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let emulator: Emulator
    private let paths: [String]
    private let servers: [NIOAsyncChannel<Connection, Never>]

    /// Claims these paths for an emulator; `run()` must follow, which serves them and gives them back.
    /// - Throws: `EmulatorError` `.cannotCreate` when a socket cannot be made or is in use; none is claimed then.
    public init(_ emulator: Emulator, claiming paths: [String]) async throws(EmulatorError) {
        self.emulator = emulator
        self.paths = paths
        var servers: [NIOAsyncChannel<Connection, Never>] = []
        do throws(EmulatorError) {
            for path in paths { servers.append(try await Self.bind(path)) }
        } catch {
            for (server, path) in zip(servers, paths) {
                try? await server.executeThenClose { _ in }
                unlink(path)
            }
            throw error
        }
        self.servers = servers
    }

    /// Serves until shutdown; the sockets are gone then.
    public func run() async throws {
        defer { for path in paths { unlink(path) } }
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup { group in
                for server in servers { group.addTask { try await serve(server) } }
                try await group.waitForAll()
            }
        } onGracefulShutdown: {
            for server in servers { server.channel.close(promise: nil) }
        }
    }

    private static func bind(_ path: String) async throws(EmulatorError) -> NIOAsyncChannel<Connection, Never> {
        do throws(SystemError) {
            try StateFolder.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        } catch {
            throw EmulatorError(.cannotCreate, "\(error)", cure: "choose another control socket (--control PATH)")
        }
        if await isInUse(path) {
            throw EmulatorError(
                .cannotCreate, "the control socket \(path) is in use",
                cure: "stop the beaconry that runs this profile, or choose another socket (--control PATH)")
        }
        do {
            let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Connection(wrappingChannelSynchronously: channel)
                    }
                }
            chmod(path, 0o600)
            return server
        } catch {
            throw EmulatorError(
                .cannotCreate, "cannot create the control socket \(path): \(error)",
                cure: "choose another control socket (--control PATH)")
        }
    }

    /// Whether somebody answers at a path; a socket that was left behind does not.
    private static func isInUse(_ path: String) async -> Bool {
        guard access(path, F_OK) == 0 else { return false }
        let attempt = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(unixDomainSocketPath: path).get()
        try? await attempt?.close().get()
        return attempt != nil
    }

    private func serve(_ server: NIOAsyncChannel<Connection, Never>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections {
                    group.addTask {
                        // A client that goes away in the middle is its own affair.
                        try? await serve(connection)
                    }
                }
            }
            group.cancelAll()
        }
    }

    private func serve(_ connection: Connection) async throws {
        guard try await isAllowed(connection.channel) else {
            try await connection.channel.close().get()
            return
        }
        let session = ControlSession(emulator: emulator)
        try await connection.executeThenClose { input, output in
            var lines = LineReader()
            for try await buffer in input {
                for line in lines.take(Array(buffer.readableBytesView)) {
                    switch await session.serve(line) {
                    case .answer(let answer): try await output.write(Self.buffer(JSONLine.encode(answer)))
                    case .events: return try await stream(to: output)
                    case .stop:
                        // The answer goes first: with the run, this server ends too.
                        try await output.write(Self.buffer(JSONLine.encode(ControlAnswer(stopping: true))))
                        await emulator.stop()
                    }
                }
            }
        }
    }

    private func stream(to output: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws {
        for await record in emulator.events.listen() {
            try await output.write(Self.buffer(JSONLine.encode(record)))
        }
    }

    private static func buffer(_ line: String) -> ByteBuffer { ByteBuffer(string: line + "\n") }

    /// Whether the peer is the user who runs this, or root.
    private func isAllowed(_ channel: any Channel) async throws -> Bool {
        guard let peer = try await PeerCredentials.of(channel) else { return false }
        return peer.user == geteuid() || peer.user == 0
    }
}
