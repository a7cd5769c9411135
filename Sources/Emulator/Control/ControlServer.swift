// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import Persistence
import ServiceLifecycle
import Sockets

/// The control socket of a run: JSON lines in, JSON lines out. It serves the user who runs it, and root.
package struct ControlServer: Service {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let emulator: Emulator
    private let names: SocketNames
    private let server: NIOAsyncChannel<Connection, Never>
    private let sentence: @Sendable (EmulatorEvent) -> String

    /// Creates the sockets of an emulator. `run()` must follow, which serves and then removes them.
    /// - Parameters:
    ///   - path: The path of a profile's socket, by the profile's name. With it, the sockets follow a reload that adds,
    ///     renames or removes profiles.
    ///   - sentence: Describes an event, for clients that want sentences.
    /// - Throws: `EmulatorError` `.cannotCreate` if a socket cannot be created or is in use; then none is created.
    package init(
        _ emulator: Emulator, claiming paths: [String], path: (@Sendable (String) -> String)? = nil,
        sentence: @escaping @Sendable (EmulatorEvent) -> String = { "\($0)" }
    ) async throws(EmulatorError) {
        self.emulator = emulator
        self.sentence = sentence
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
        // The emulator stores this closure, so it must not capture the emulator.
        await emulator.observeReloads { [names, events = emulator.events] profiles in
            for warning in await names.exchange(for: profiles.map(path)) { events.post(.warning(warning)) }
        }
    }

    /// Serves until shutdown, then removes the sockets.
    package func run() async throws {
        defer { names.removeAll() }
        try await withGracefulShutdownHandler {
            try await serve(server)
        } onGracefulShutdown: {
            server.channel.close(promise: nil)
        }
    }

    /// Creates the folder of a socket, and checks that no process listens on its path.
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
                // A client that has sent all its requests still reads the answers.
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
                        // An error of one connection does not concern the others.
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
                    case .events(let format): return try await stream(format, to: output)
                    case .stop:
                        // The answer is sent first, since this server ends with the run.
                        var answer = ControlAnswer()
                        answer.stopping = true
                        try await output.write(Self.buffer(JSONLine.encode(answer)))
                        await emulator.stop()
                    }
                }
            }
        }
    }

    private func stream(
        _ format: ControlRequest.EventFormat, to output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        for await posted in emulator.events.listen() {
            let line =
                switch format {
                case .json: JSONLine.encode(posted)
                case .text: SafeText.line(sentence(posted.event))
                }
            try await output.write(Self.buffer(line))
        }
    }

    private static func buffer(_ line: String) -> ByteBuffer { ByteBuffer(string: line + "\n") }

    /// Whether the peer runs as the same user, or as root.
    private func isAllowed(_ channel: any Channel) async throws -> Bool {
        guard let peer = try await PeerCredentials.of(channel) else { return false }
        return peer.user == geteuid() || peer.user == 0
    }
}
