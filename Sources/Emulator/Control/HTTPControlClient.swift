// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client of the control requests of a running emulator over HTTP: `POST /v1/control` (docs/http.md).
package struct HTTPControlClient: ControlClient {
    /// Where the server listens.
    private enum Server {
        case tcp(HostAndPort)
        case unix(path: String)
    }

    /// An error as HTTP servers of Beaconry send it (RFC 9457).
    private struct Problem: Decodable {
        let detail: String?
        let hint: String?
    }

    private static let path = "/v1/control"
    /// The content types of answers.
    private static let types = ["application/jsonl", "text/plain"]

    private let url: String
    private let server: Server
    private let token: String?

    /// A client of the server with this URL.
    /// - Parameters:
    ///   - url: `http://HOST:PORT` or `unix:PATH`, as the event `http-ready` has it.
    ///   - token: the token of the server; `nil` for none.
    /// - Throws: `EmulatorError` `.badProfile` for another URL.
    package init(url: String, token: String?) throws(EmulatorError) {
        let scheme = "http://"
        var authority = url.hasPrefix(scheme) ? url.dropFirst(scheme.count) : ""
        if authority.hasSuffix("/") { authority.removeLast() }
        if url.hasPrefix("unix:") {
            server = .unix(path: String(url.dropFirst("unix:".count)))
        } else if let address = HostAndPort(String(authority)) {
            server = .tcp(address)
        } else {
            throw EmulatorError(
                .badProfile, "\"\(url)\" is not the URL of a run",
                hint: "write http://HOST:PORT or unix:PATH, as beaconry run --http has it; for https, use a tunnel")
        }
        self.url = url
        self.token = token
    }

    package func send(_ request: ControlRequest, receive: (String) throws -> Void) async throws {
        let connection = try await connect()
        do {
            try await exchange(request, over: connection, receive: receive)
        } catch is HTTPParserError {
            throw notARun("it does not answer as HTTP servers do")
        } catch is ChannelError {
            try request.checkEnd(of: url)
        }
    }

    private func exchange(
        _ request: ControlRequest, over connection: Connection, receive: (String) throws -> Void
    ) async throws {
        try await connection.executeThenClose { input, output in
            do {
                for part in parts(of: request) { try await output.write(part) }
            } catch {
                // The server has closed the connection already. What it sent before is read, and says more than the error.
            }
            var status = HTTPResponseStatus.ok
            var refusal: [UInt8] = []
            var lines = LineReader(maximumLength: ControlClientLimits.answerLength)
            for try await part in input {
                switch part {
                case .head(let head):
                    status = head.status
                    let type = head.headers.first(name: "Content-Type") ?? ""
                    guard status != .ok || Self.types.contains(where: type.hasPrefix) else {
                        throw notARun("it answered with \(type.isEmpty ? "no content type" : type)")
                    }
                case .body(let buffer) where status == .ok:
                    for line in lines.take(Array(buffer.readableBytesView)) where !line.isEmpty {
                        try receive(String(decoding: line, as: UTF8.self))
                        if !request.isAnsweredUntilTheEnd { return }
                    }
                case .body(let buffer): refusal += buffer.readableBytesView
                case .end:
                    guard status == .ok else { throw error(status, refusal) }
                    return try request.checkEnd(of: url)
                }
            }
            try request.checkEnd(of: url)
        }
    }

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private func connect() async throws -> Connection {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        let prepare: @Sendable (any Channel) -> EventLoopFuture<Connection> = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                return try Connection(wrappingChannelSynchronously: channel)
            }
        }
        do {
            switch server {
            case .tcp(let address):
                return try await bootstrap.connect(host: address.host, port: address.port, channelInitializer: prepare)
            case .unix(let path):
                return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: prepare)
            }
        } catch {
            throw EmulatorError(
                .inputOutput, "no beaconry listens at \(url)", hint: "start one (beaconry run PROFILE --http HOST:PORT)"
            )
        }
    }

    private func parts(of request: ControlRequest) -> [HTTPClientRequestPart] {
        let body = ByteBuffer(string: JSONLine.encode(request))
        let host =
            switch server {
            case .tcp(let address):
                (address.host.contains(":") ? "[\(address.host)]" : address.host) + ":\(address.port)"
            case .unix: "localhost"
            }
        var fields = HTTPHeaders([
            ("Host", host), ("Content-Type", "application/json"), ("Content-Length", "\(body.readableBytes)"),
        ])
        if let token { fields.add(name: "Authorization", value: "Bearer \(token)") }
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: Self.path, headers: fields)
        return [.head(head), .body(.byteBuffer(body)), .end(nil)]
    }

    private func error(_ status: HTTPResponseStatus, _ body: [UInt8]) -> EmulatorError {
        guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(body)), let message = problem.detail
        else {
            return notARun("it answered \(status.code)")
        }
        let hint = status == .unauthorized ? "give the file of the token (--http-token-file FILE)" : problem.hint
        return EmulatorError(.inputOutput, message, hint: hint ?? "")
    }

    private func notARun(_ reason: String) -> EmulatorError {
        EmulatorError(
            .inputOutput, "\(url) is not a run of beaconry: \(reason)",
            hint: "give the URL of the event http-ready, of the same version of beaconry")
    }
}
