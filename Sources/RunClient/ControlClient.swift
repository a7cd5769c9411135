// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
package import RunAPI
import Sockets
import Synchronization

/// A client of a run: sends operations over HTTP, to the Unix socket of the run or to its server on TCP.
package struct ControlClient: Sendable {
    /// Where the run listens.
    private enum Server {
        case unix(path: String)
        case tcp(HostAndPort)
    }

    /// The longest accepted response with a list or a text, in bytes: a list has about a kilobyte for each beacon.
    private static let longestText = 1 << 26
    /// The longest accepted response with bytes, such as a capture.
    private static let longestFile = 1 << 28
    /// The longest accepted problem, in bytes.
    private static let longestProblem = 1 << 20

    private let server: Server
    /// The place of the run, for messages.
    private let place: String
    private let token: String?

    /// A client of the control socket at this path.
    package init(path: String) {
        server = .unix(path: path)
        place = path
        token = nil
    }

    /// A client of the server with this URL.
    /// - Parameters:
    ///   - url: `http://HOST:PORT`, as in the event `http-ready`, or `unix:PATH` for a control socket.
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
                hint: "write http://HOST:PORT with the address of run --http, or unix:PATH; for https, use a tunnel")
        }
        place = url
        self.token = token
    }

    /// Performs an operation on the run.
    /// - Throws: `RefusedRequest` with the problem of the run; `EmulatorError` `.inputOutput` if no run answers.
    package func send<Sent: Operation>(_ operation: Sent) async throws -> Sent.Reply where Sent.Reply: ReadableAnswer {
        var response = Response()
        do {
            try await exchange(operation.request, operation.patience) { part in
                switch part {
                case .head(let status, let fields):
                    (response.status, response.fields) = (status, fields)
                    try checkHead(response, Sent.Reply.description)
                case .body(let bytes):
                    let isFile = Sent.Reply.description.type == "application/octet-stream"
                    try add(bytes, to: &response, limit: isFile ? Self.longestFile : Self.longestText)
                }
            }
        } catch is EarlyEnd {
            throw closed
        }
        try check(response)
        do {
            return try Sent.Reply(response)
        } catch {
            throw EmulatorError(.inputOutput, "the answer cannot be read", hint: "use the same version on both sides")
        }
    }

    /// Follows the events of the run until it ends, also if it is killed.
    /// - Parameter receive: Receives the JSON object of an event; an error that it throws ends this call.
    /// - Throws: as `send`.
    package func follow<Sent: Operation>(_ operation: Sent, receive: (String) throws -> Void) async throws {
        var response = Response()
        var parser = ServerSentEventParser()
        do {
            try await exchange(operation.request, operation.patience) { part in
                switch part {
                case .head(let status, let fields):
                    (response.status, response.fields) = (status, fields)
                    try checkHead(response, Sent.Reply.description)
                case .body(let bytes) where response.status == 200:
                    for event in parser.take(bytes) { try receive(event) }
                case .body(let bytes): try add(bytes, to: &response, limit: Self.longestProblem)
                }
            }
        } catch is EarlyEnd where response.status == 200 {
            return
        } catch is EarlyEnd {
            throw closed
        }
        try check(response)
    }

    private func add(_ bytes: [UInt8], to response: inout Response, limit: Int) throws(EmulatorError) {
        let limit = response.fields["content-type"] == Self.problemType ? Self.longestProblem : limit
        guard response.body.count + bytes.count <= limit else {
            throw notARun("its response has more than \(limit) bytes")
        }
        response.body += bytes
    }

    private static let problemType = "application/problem+json"

    /// Recognises other servers by the head of a response, whose body may have no end.
    private func checkHead(_ response: Response, _ expected: AnswerDescription) throws(EmulatorError) {
        let type = response.fields["content-type"] ?? ""
        if type == Self.problemType { return }
        guard expected.statuses.contains(response.status) else { throw notARun("it answered \(response.status)") }
        guard type.hasPrefix(expected.type ?? "") else {
            throw notARun("it answered with \(type.isEmpty ? "no content type" : type)")
        }
    }

    /// - Throws: `RefusedRequest` or `EmulatorError` for a problem.
    private func check(_ response: Response) throws {
        guard response.fields["content-type"] == Self.problemType else { return }
        guard let problem = RefusedRequest(response) else { throw notARun("it answered \(response.status)") }
        guard response.status != 401 else {
            throw EmulatorError(
                .inputOutput, problem.message,
                hint: problem.code == "wrong-token"
                    ? "give a file with the same token as the server's (--http-token-file FILE)"
                    : "give the file of the token (--http-token-file FILE)")
        }
        throw problem
    }

    // MARK: - The connection

    private enum Part {
        case head(status: Int, fields: [String: String])
        case body([UInt8])

        static func head(_ head: HTTPResponseHead) -> Part {
            let fields = head.headers.map { ($0.name.lowercased(), $0.value) }
            return .head(
                status: Int(head.status.code), fields: Dictionary(fields, uniquingKeysWith: { first, _ in first }))
        }
    }

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// The end of a connection before the end of the response.
    private struct EarlyEnd: Error {}

    /// Ends a connection whose response does not begin in time.
    private final class HeadTimer: Sendable {
        private let timer = Mutex<Scheduled<Void>?>(nil)
        private let hasFired = Mutex(false)

        init(_ channel: any Channel, _ patience: Duration?) {
            guard let patience else { return }
            let scheduled = channel.eventLoop.scheduleTask(in: TimeAmount(patience)) { [self] in
                hasFired.withLock { $0 = true }
                channel.close(promise: nil)
            }
            timer.withLock { $0 = scheduled }
        }

        var isOver: Bool { hasFired.withLock(\.self) }

        func cancel() { timer.withLock { $0?.cancel() } }
    }

    /// - Parameters:
    ///   - patience: the time in which the response has to begin; `nil` for no limit.
    ///   - receive: Receives the parts of the response.
    /// - Throws: `EarlyEnd`, `EmulatorError`, or an error of the connection.
    private func exchange(
        _ request: OperationRequest, _ patience: Duration?, receive: (Part) throws -> Void
    ) async throws {
        let connection = try await connect()
        let timer = HeadTimer(connection.channel, patience)
        defer { timer.cancel() }
        do {
            try await exchange(request, over: connection, timer, receive: receive)
        } catch is EarlyEnd where timer.isOver {
            throw EmulatorError(
                .inputOutput, "\(place) has not answered within \(patience?.components.seconds ?? 0) s",
                hint: "the run may be stopped, or do something long; its log says more")
        }
    }

    private func exchange(
        _ request: OperationRequest, over connection: Connection, _ timer: HeadTimer, receive: (Part) throws -> Void
    ) async throws {
        do {
            try await connection.executeThenClose { input, output in
                try await checkServer(connection.channel)
                do {
                    for part in parts(of: request) { try await output.write(part) }
                } catch {
                    // The server has closed the connection already. What it sent before is read, and says more than the error.
                }
                for try await part in input {
                    switch part {
                    case .head(let head):
                        timer.cancel()
                        try receive(.head(head))
                    case .body(let buffer): try receive(.body(Array(buffer.readableBytesView)))
                    case .end: return
                    }
                }
                throw EarlyEnd()
            }
        } catch HTTPParserError.invalidEOFState {
            throw EarlyEnd()
        } catch is HTTPParserError {
            throw notARun("it does not answer as HTTP servers do")
        } catch is ChannelError {
            throw EarlyEnd()
        }
    }

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
            throw unreachable(error)
        }
    }

    private func unreachable(_ error: any Error) -> EmulatorError {
        guard case .unix(let path) = server else {
            return EmulatorError(
                .inputOutput, "no beaconry listens at \(place)",
                hint: "start one (beaconry run PROFILE --http HOST:PORT)")
        }
        let code = (error as? IOError)?.errnoCode
        guard code != EAGAIN else {
            return EmulatorError(
                .inputOutput, "the run at \(place) accepts no connections", hint: "it may be stopped, or overloaded")
        }
        guard code != EACCES else {
            return EmulatorError(
                .inputOutput, "you may not use the control socket \(place)",
                hint: SocketAccess.hint(for: path))
        }
        return EmulatorError(
            .inputOutput, "no beaconry listens at \(place)",
            hint: "start one (beaconry run PROFILE), or name its socket (--control PATH)")
    }

    private func parts(of request: OperationRequest) -> [HTTPClientRequestPart] {
        var fields = HTTPHeaders(request.fields)
        switch server {
        case .tcp(let address): fields.add(name: "Host", value: Self.authority(of: address))
        case .unix: fields.add(name: "Host", value: "localhost")
        }
        if let token { fields.add(name: "Authorization", value: "Bearer \(token)") }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method.rawValue), uri: request.target,
            headers: fields)
        guard let body = request.body else { return [.head(head), .end(nil)] }
        return [.head(head), .body(.byteBuffer(ByteBuffer(bytes: body))), .end(nil)]
    }

    private static func authority(of address: HostAndPort) -> String {
        (address.host.contains(":") ? "[\(address.host)]" : address.host) + ":\(address.port)"
    }

    /// Refuses a server of another user, who may have created the socket to deceive this client.
    private func checkServer(_ channel: any Channel) async throws {
        guard case .unix(let path) = server else { return }
        let user = try await PeerCredentials.of(channel)?.user
        guard let user, PeerCredentials.isTrusted(server: user, by: geteuid(), socket: path) else {
            let server = user.map { "\($0)" } ?? "unknown"
            throw EmulatorError(
                .inputOutput, "the control socket \(path) is served by another user (\(server))",
                hint: "name the socket of your own run (--control PATH), or set XDG_RUNTIME_DIR to a folder of yours")
        }
    }

    private var closed: EmulatorError {
        EmulatorError(
            .inputOutput, "\(place) closed the connection before it answered", hint: "the run may have ended")
    }

    private func notARun(_ reason: String) -> EmulatorError {
        let hint =
            switch server {
            case .tcp: "give the URL of the event http-ready, of the same version of beaconry"
            case .unix: "use the same version of beaconry on both sides"
            }
        return EmulatorError(.inputOutput, "\(place) is not a run of beaconry: \(reason)", hint: hint)
    }
}
