// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix

@testable import Emulator

/// A client of the control socket that sends arbitrary bytes.
struct LineClient {
    struct Closed: Error {}

    private let output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var input: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var received: [UInt8] = []

    /// Connects during a function.
    static func with(_ path: String, _ body: (inout LineClient) async throws -> Void) async throws {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await connection.executeThenClose { input, output in
            var client = LineClient(output: output, input: input.makeAsyncIterator())
            try await body(&client)
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await output.write(ByteBuffer(bytes: bytes)) }

    /// The next line.
    /// - Throws: `Closed` if the server has closed the connection.
    mutating func line() async throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard let buffer = try await input.next(isolation: #isolation) else { throw Closed() }
            received += Array(buffer.readableBytesView)
        }
    }

    /// The answer to a line.
    mutating func ask(_ line: String) async throws -> ControlAnswer {
        try await send(line + "\n")
        return try await answer()
    }

    mutating func answer() async throws -> ControlAnswer { try ControlAnswer(parsing: try await line()) }
}
