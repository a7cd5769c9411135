// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import Persistence
import ServiceLifecycle
import Sockets

/// The control socket of a run: JSON lines in, JSON lines out. It serves the user who runs it, and root.
package struct ControlServer: Service {
    private let emulator: Emulator
    private let names: SocketNames
    private let listener: ControlListener
    /// The group whose members are clients, too; `nil` for none.
    private let group: gid_t?

    /// Creates the sockets of an emulator. `run()` must follow, which serves and then removes them.
    /// - Parameters:
    ///   - path: The path of a profile's socket, by the profile's name. With it, the sockets follow a reload that adds,
    ///     renames or removes profiles.
    ///   - record: Called with the paths of all sockets, when they are created and when a reload has changed them.
    ///   - group: The number of a group whose members may use the sockets, too; `nil` for none.
    /// - Throws: `EmulatorError` `.cannotCreate` if a socket cannot be created or is in use; then none is created.
    package init(
        _ emulator: Emulator, claiming paths: [String], path: (@Sendable (String) -> String)? = nil,
        record: @escaping @Sendable ([String]) -> Void = { _ in }, group: UInt32? = nil
    ) async throws(EmulatorError) {
        self.emulator = emulator
        self.group = group
        emulator.events.keepJournal()
        guard let first = paths.first else {
            throw EmulatorError(
                .cannotCreate, "there is no control socket to create", hint: "name one (--control PATH)")
        }
        for path in paths.dropFirst() { try await Self.prepare(path) }
        listener = try await Self.bind(first, group)
        names = SocketNames(first)
        for path in paths.dropFirst() {
            guard names.add(path) else {
                await listener.close()
                names.removeAll()
                throw EmulatorError(
                    .cannotCreate, "cannot create the control socket \(path): \(String(cString: strerror(errno)))",
                    hint: "choose another control socket (--control PATH)")
            }
        }
        record(names.all)
        guard let path else { return }
        // The emulator stores this closure, so it must not capture the emulator.
        await emulator.observeReloads { [names, events = emulator.events] profiles in
            for warning in await names.exchange(for: profiles.map(path)) { events.post(.warning(warning)) }
            record(names.all)
        }
    }

    /// Removes the sockets, also if `run()` was not called. May be called again.
    package func close() async {
        await listener.close()
        names.removeAll()
    }

    /// Serves until shutdown, then removes the sockets.
    package func run() async {
        defer { names.removeAll() }
        await withGracefulShutdownHandler {
            await serve()
        } onGracefulShutdown: {
            listener.stop()
        }
    }

    /// Creates the folder of a socket, and checks that no process listens on its path.
    private static func prepare(_ path: String) async throws(EmulatorError) {
        let other = "choose another control socket (--control PATH)"
        try await SocketFile.requireFree(
            path, "control socket", hint: other,
            hintInUse: "stop that run (beaconry ctl stop --control \(path)), or choose another socket (--control PATH)")
    }

    private static func bind(_ path: String, _ group: gid_t?) async throws(EmulatorError) -> ControlListener {
        try await prepare(path)
        do {
            let listener = try await ControlListener(path: path)
            chmod(path, 0o600)
            guard let group else { return listener }
            guard chown(path, uid_t.max, group) == 0, chmod(path, 0o660) == 0 else {
                let reason = String(cString: strerror(errno))
                await listener.close()
                unlink(path)
                throw EmulatorError(
                    .cannotCreate, "the control socket \(path) cannot belong to the group \(group): \(reason)",
                    hint: "run as a member of the group, or leave --control-group out")
            }
            return listener
        } catch let error as EmulatorError {
            throw error
        } catch {
            throw EmulatorError(
                .cannotCreate, "cannot create the control socket \(path): \(error)",
                hint: "choose another control socket (--control PATH)")
        }
    }

    private func serve() async {
        await withDiscardingTaskGroup { group in
            for await connection in listener.connections {
                group.addTask {
                    // An error of one connection does not concern the others.
                    try? await serve(connection)
                }
            }
            group.cancelAll()
        }
        await listener.close()
    }

    private func serve(_ connection: ControlListener.Connection) async throws {
        guard await isAllowed(connection.channel) else { return await connection.close() }
        let session = ControlSession(emulator: emulator)
        try await connection.executeThenClose { input, output in
            var lines = LineReader()
            for try await buffer in input {
                for line in lines.take(Array(buffer.readableBytesView)) {
                    switch await session.serve(line) {
                    case .answer(let answer): try await Self.send(await answer.line(), to: output)
                    case .events(let format): return try await stream(format, to: output)
                    case .stop:
                        // The answer is sent first, since this server ends with the run.
                        try await output.write(Self.buffer(JSONLine.encode(ControlAnswer(stopping: true))))
                        await emulator.stop()
                    }
                }
            }
        }
    }

    /// Sends an answer. If the run ends meanwhile, because of the request even, the client still has a second to read it.
    private static func send(_ line: String, to output: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws {
        let sending = Task { try await output.write(buffer(line)) }
        try await withTaskCancellationHandler {
            try await sending.value
        } onCancel: {
            Task {
                try? await Task.sleep(for: .seconds(1))
                sending.cancel()
            }
        }
    }

    private func stream(
        _ format: ControlRequest.EventFormat, to output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        for await posted in emulator.events.listen() {
            let line =
                switch format {
                case .json: emulator.events.lines.line(of: posted)
                case .text: SafeText.line(EventText.line(posted.event))
                }
            try await output.write(Self.buffer(line))
        }
    }

    private static func buffer(_ line: String) -> ByteBuffer { ByteBuffer(string: line + "\n") }

    /// Whether the peer runs as the same user, or as root. With a group, the mode of the socket decides that.
    private func isAllowed(_ channel: any Channel) async -> Bool {
        guard group == nil else { return true }
        guard let peer = try? await PeerCredentials.of(channel) else { return false }
        return peer.user == geteuid() || peer.user == 0
    }
}
