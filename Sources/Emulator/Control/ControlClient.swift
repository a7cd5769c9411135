// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix

/// A client of the control requests of a running emulator.
package protocol ControlClient: Sendable {
    /// Sends a request and receives the answer: one line, or for `events` one line for each event. `stop` returns when the
    /// run has ended.
    /// - Parameter receive: Receives a line without its line end.
    /// - Throws: `EmulatorError` `.inputOutput` if no run listens, and errors of the connection.
    func send(_ request: ControlRequest, receive: (String) throws -> Void) async throws
}

extension ControlRequest {
    /// Throws if a connection that has ended should have had an answer.
    func checkEnd(of server: String) throws(EmulatorError) {
        guard !isAnsweredUntilTheEnd else { return }
        throw EmulatorError(
            .inputOutput, "\(server) closed the connection before it answered", hint: "the run may have ended")
    }
}

/// The limits of the lines of a control client.
enum ControlClientLimits {
    /// The longest accepted answer, in bytes: the list of a run has about a kilobyte for each beacon.
    static let answerLength = 1 << 28
}

/// A client of the control socket of a running emulator.
package struct SocketControlClient: ControlClient {

    private let path: String

    /// A client of the socket at this path.
    package init(path: String) { self.path = path }

    package func send(_ request: ControlRequest, receive: (String) throws -> Void) async throws {
        let connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        do {
            connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
                }
        } catch {
            if (error as? IOError)?.errnoCode == EACCES {
                throw EmulatorError(
                    .inputOutput, "you may not use the control socket \(path)",
                    hint: "use it as the user who runs beaconry, as root, or as a member of the socket's group")
            }
            throw EmulatorError(
                .inputOutput, "no beaconry listens at \(path)",
                hint: "start one (beaconry run PROFILE), or name its socket (--control PATH)")
        }
        try await connection.executeThenClose { input, output in
            try await check(connection.channel)
            try await output.write(ByteBuffer(string: JSONLine.encode(request) + "\n"))
            var lines = LineReader(maximumLength: ControlClientLimits.answerLength)
            for try await buffer in input {
                for line in lines.take(Array(buffer.readableBytesView)) {
                    try receive(String(decoding: line, as: UTF8.self))
                    if !request.isAnsweredUntilTheEnd { return }
                }
            }
            try request.checkEnd(of: path)
        }
    }

    /// Refuses a server of another user, who may have created the socket to deceive this client.
    private func check(_ channel: any Channel) async throws {
        let user = try await PeerCredentials.of(channel)?.user
        guard let user, PeerCredentials.isTrusted(server: user, by: geteuid(), socket: path) else {
            let server = user.map { "\($0)" } ?? "unknown"
            throw EmulatorError(
                .inputOutput, "the control socket \(path) is served by another user (\(server))",
                hint: "name the socket of your own run (--control PATH), or set XDG_RUNTIME_DIR to a folder of yours")
        }
    }

}

extension ControlAnswer {
    /// Parses the line of an answer.
    /// - Throws: `EmulatorError` `.inputOutput`.
    package init(parsing line: String) throws(EmulatorError) {
        guard let answer = try? JSONDecoder().decode(ControlAnswer.self, from: Data(line.utf8)) else {
            throw EmulatorError(.inputOutput, "the answer cannot be read", hint: "use the same version on both sides")
        }
        self = answer
    }
}
