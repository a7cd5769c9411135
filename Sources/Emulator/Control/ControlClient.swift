// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix

/// Asks a running emulator over its control socket.
package struct ControlClient: Sendable {
    /// The longest answer that is accepted: about a kilobyte for each beacon of a run.
    private static let maximumAnswerLength = 1 << 28

    private let path: String

    /// A client of the socket at this path.
    package init(path: String) { self.path = path }

    /// Sends a request and hands on the lines of the answer: one, or for `events` as many as come. A `stop` is over when the
    /// run is.
    /// - Parameter receive: takes a line without its end.
    /// - Throws: `EmulatorError` `.cannotCreate` when nobody listens at the path, `.inputOutput` when the connection breaks.
    package func send(_ request: ControlRequest, receive: (String) throws -> Void) async throws {
        let connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        do {
            connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
                }
        } catch {
            throw EmulatorError(
                .inputOutput, "no beaconry listens at \(path)",
                hint: "start one (beaconry run PROFILE), or name its socket (--control PATH)")
        }
        try await connection.executeThenClose { input, output in
            try await check(connection.channel)
            try await output.write(ByteBuffer(string: JSONLine.encode(request) + "\n"))
            var lines = LineReader(maximumLength: Self.maximumAnswerLength)
            for try await buffer in input {
                for line in lines.take(Array(buffer.readableBytesView)) {
                    try receive(String(decoding: line, as: UTF8.self))
                    if request.command != .events, request.command != .stop { return }
                }
            }
        }
    }

    /// Refuses a server that another user has put in the place of the one that is meant: it could say anything.
    private func check(_ channel: any Channel) async throws {
        let user = try await PeerCredentials.of(channel)?.user
        guard let user, PeerCredentials.isTrusted(server: user, by: geteuid(), socket: path) else {
            let server = user.map { "\($0)" } ?? "unknown"
            throw EmulatorError(
                .inputOutput, "the control socket \(path) is served by another user (\(server))",
                hint: "name the socket of your own run (--control PATH), or set XDG_RUNTIME_DIR to a folder of yours")
        }
    }

    /// Reads the answer's line.
    /// - Throws: `EmulatorError` `.inputOutput` when it is none.
    package static func answer(_ line: String) throws(EmulatorError) -> ControlAnswer {
        guard let answer = try? JSONDecoder().decode(ControlAnswer.self, from: Data(line.utf8)) else {
            throw EmulatorError(.inputOutput, "the answer cannot be read", hint: "use the same version on both sides")
        }
        return answer
    }
}
