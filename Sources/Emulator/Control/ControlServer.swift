// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import Persistence
import ServiceLifecycle
import Sockets

/// The control socket of a run: JSON lines in, JSON lines out, for the user who runs it and for root.
package struct ControlServer: Service {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let emulator: Emulator
    private let names: SocketNames
    private let server: NIOAsyncChannel<Connection, Never>

    /// Claims these paths for an emulator; `run()` must follow, which serves them and gives them back.
    /// - Parameter path: the path of a profile's socket, by the profile's name; then a reload that adds, renames or removes
    ///   profiles does the same with the sockets. Without it the paths stay.
    /// - Throws: `EmulatorError` `.cannotCreate` when a socket cannot be made or is in use; none is claimed then.
    package init(
        _ emulator: Emulator, claiming paths: [String], path: (@Sendable (String) -> String)? = nil
    ) async throws(EmulatorError) {
        self.emulator = emulator
        guard let first = paths.first else {
            throw EmulatorError(
                .cannotCreate, "there is no control socket to create", hint: "name one (--control PATH)")
        }
        for path in paths.dropFirst() { try await Self.prepare(path) }
        server = try await Self.bind(first)
        names = SocketNames(first)
        for path in paths.dropFirst() {
            guard names.add(path) else {
                try? await server.executeThenClose { _ in }
                names.removeAll()
                throw EmulatorError(
                    .cannotCreate, "cannot create the control socket \(path): \(String(cString: strerror(errno)))",
                    hint: "choose another control socket (--control PATH)")
            }
        }
        guard let path else { return }
        await emulator.observeReloads { [names] profiles in
            for warning in await names.exchange(for: profiles.map(path)) {
                emulator.events.post(EventRecord(warning, device: nil))
            }
        }
    }

    /// Serves until shutdown; the sockets are gone then.
    package func run() async throws {
        defer { names.removeAll() }
        try await withGracefulShutdownHandler {
            try await serve(server)
        } onGracefulShutdown: {
            server.channel.close(promise: nil)
        }
    }

    /// Creates the folder of a socket, and checks that no process listens at its path.
    private static func prepare(_ path: String) async throws(EmulatorError) {
        do throws(SystemError) {
            try Folder.create(Folder.containing(path))
        } catch {
            throw EmulatorError(.cannotCreate, "\(error)", hint: "choose another control socket (--control PATH)")
        }
        if let owner = await PeerCredentials.listening(at: path) {
            let process = owner.process > 0 ? " by process \(owner.process)" : ""
            throw EmulatorError(
                .cannotCreate, "the control socket \(path) is in use\(process)",
                hint: "stop that run (beaconry ctl stop --control \(path)), or choose another socket (--control PATH)")
        }
    }

    private static func bind(_ path: String) async throws(EmulatorError) -> NIOAsyncChannel<Connection, Never> {
        try await prepare(path)
        do {
            let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AcceptRest())
                    }
                }
                // Who has said all still reads the answers.
                .childChannelOption(.allowRemoteHalfClosure, value: true)
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
                hint: "choose another control socket (--control PATH)")
        }
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
