// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Emulator
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import NIOHTTPTypes
import RunAPI
import Synchronization

/// Answers requests: checks them, finds the operation, performs it, and writes the reply.
struct APIResponder: Sendable {
    /// The longest body, in bytes.
    static let longestBody = 65536
    /// The interval of keep-alives in replies that take long: comments in a stream of events, line feeds before JSON.
    private static let heartbeat = Duration.seconds(10)
    /// The time that a client has to read the last reply of a connection.
    private static let lingering = TimeAmount.seconds(1)

    private static let router = Router(Operations.all)

    let run: RunContext
    let requestGuard: RequestGuard
    /// The limit of concurrent streams of events.
    let streams: Places
    private let clients = Clients()

    private var events: EventHub { run.emulator.events }

    /// How the reply of a request is written.
    private struct Form: Sendable {
        /// Whether the reply has no body.
        let isHead: Bool
        /// The fields that the reply has besides the fields of its content.
        let fields: HTTPFields
    }

    private func form(of request: Request) -> Form {
        var fields = Self.fields
        if let origin = requestGuard.allowedOrigin(of: request.head) {
            fields[.accessControlAllowOrigin] = origin
            fields[.vary] = "Origin"
        }
        return Form(isHead: request.method == .head, fields: fields)
    }

    @concurrent func respond(
        to request: Request, _ writer: consuming ResponseWriter, over channel: any Channel
    ) async throws {
        let form = form(of: request)
        if requestGuard.isPreflight(request.head) {
            return try await writer.writeResponse(
                HTTPResponse(status: .noContent, headerFields: RequestGuard.preflightFields(form.fields)))
        }
        let content: Content
        do {
            content = try await Requester.$current.withValue(clients[channel]) { try await answer(request) }
        } catch let problem as Problem {
            return try await write(problem, form, writer, over: channel)
        }
        var isStream = false
        switch content {
        case .events where !form.isHead, .lines where !form.isHead: isStream = true
        default: break
        }
        guard !isStream || streams.take() else {
            return try await write(.tooMany("streams of events"), form, writer, over: channel)
        }
        defer { if isStream { streams.free() } }
        try await write(content, form, writer, over: channel)
    }

    /// Answers a request of a connection beyond the limit, and closes it.
    @concurrent func refuse(
        _ request: Request, _ writer: consuming ResponseWriter, over channel: any Channel
    ) async throws {
        try await write(.tooMany("connections"), form(of: request), writer, over: channel)
    }

    // MARK: - Requests

    /// - Throws: `Problem`, and nothing else.
    private func answer(_ request: Request) async throws -> Content {
        let wanted = try APIRequest(request.head)
        let found = Self.router.find(wanted.segments)
        try requestGuard.check(
            // Browsers open streams without fields of their own.
            request.head, queryToken: found?.resource.isStream == true ? wanted.query[APIRequest.tokenParameter] : nil,
            needsToken: found?.resource.needsToken ?? true, takesText: found?.resource.takesText(wanted.method) ?? false
        )
        guard let (resource, names) = found else { throw Problem.noResource(wanted.path) }
        let method = wanted.method == .head ? HTTPRequest.Method.get : wanted.method
        guard resource.methods.contains(method) else {
            throw Problem.method(wanted.method, allowed: resource.methods)
        }
        let body = try await body(of: request, asText: resource.takesText(method))
        switch resource {
        case .page(let file): return .bytes([file.bytes], type: file.type)
        case .operations(let endpoints):
            guard let endpoint = endpoints[method] else {
                throw Problem.method(wanted.method, allowed: resource.methods)
            }
            let values = try wanted.values(of: endpoint, names, body)
            do throws(EmulatorError) {
                return try await endpoint.respond(values, run)
            } catch {
                throw Problem(error)
            }
        }
    }

    private func body(of request: Request, asText: Bool) async throws(Problem) -> RequestBody? {
        let bytes = try await bytes(of: request)
        guard !bytes.isEmpty else { return nil }
        guard !asText else {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Problem(.badRequest, code: "not-text", "the body is not UTF-8 text")
            }
            return .text(text)
        }
        do throws(JSONFault) {
            return .json(try JSONValue(parsing: bytes))
        } catch {
            if error.isLimit { throw .invalid("the body is too complex: \(error.message)") }
            throw Problem(.badRequest, code: "not-json", "the body is not JSON: \(error.message)")
        }
    }

    private func bytes(of request: Request) async throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await buffer in request.body {
                bytes += buffer.readableBytesView
                guard bytes.count <= Self.longestBody else { break }
            }
        } catch {
            throw Problem(.badRequest, code: "bad-body", "the body ended early")
        }
        guard bytes.count <= Self.longestBody else {
            var problem = Problem(.contentTooLarge, code: "too-large", "a body has at most \(Self.longestBody) bytes")
            // What is left of the body is not read.
            problem.endsConnection = true
            throw problem
        }
        return bytes
    }

    // MARK: - Replies

    private static let fields: HTTPFields = [
        // Against clickjacking.
        .contentSecurityPolicy: "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        .xFrameOptions: "DENY", .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
    ]

    @concurrent private func write(
        _ problem: Problem, _ form: Form, _ writer: consuming ResponseWriter, over channel: any Channel
    ) async throws {
        var fields = HTTPFields()
        if !problem.methods.isEmpty { fields[.allow] = problem.methods.map(\.rawValue).joined(separator: ", ") }
        if problem.status == HTTPResponse.Status.unauthorized.code { fields[.wwwAuthenticate] = "Bearer" }
        if problem.endsConnection { fields[.connection] = "close" }
        try await write(
            [Array(JSONLine.encode(problem).utf8)], Problem.contentType, HTTPResponse.Status(code: problem.status),
            form, fields, writer, over: channel)
        if problem.endsConnection { try await end(channel) }
    }

    /// Closes a connection after its last reply: the write side first, and the rest some time later, since closing a socket
    /// with unread input sends a TCP reset, by which the client may lose the reply (RFC 9112, 9.6).
    /// - Throws: always, so that no other request is read.
    private func end(_ channel: any Channel) async throws {
        try? await channel.close(mode: .output).get()
        let closing = channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
        try await channel.closeFuture.get()
        closing.cancel()
        throw ChannelError.alreadyClosed
    }

    /// Writes a body of known length, of which one part at a time waits for the client.
    @concurrent private func write(
        _ blocks: [[UInt8]], _ type: String, _ status: HTTPResponse.Status, _ form: Form, _ additional: HTTPFields,
        _ writer: consuming ResponseWriter, over channel: any Channel
    ) async throws {
        var fields = form.fields
        fields.append(contentsOf: additional)
        fields[.contentType] = type
        let length = blocks.reduce(0) { $0 + $1.count }
        fields[.contentLength] = "\(length)"
        let head = HTTPResponse(status: status, headerFields: fields)
        if form.isHead { return try await writer.writeResponse(head) }
        guard length > BodyPieces.size else {
            return try await writer.write(
                response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: blocks.joined())))
        }
        let end = try await writer.writeHead(head)
        for block in blocks {
            for start in stride(from: 0, to: block.count, by: BodyPieces.size) {
                let piece = block[start..<min(start + BodyPieces.size, block.count)]
                try await Self.send(ByteBuffer(bytes: piece), to: channel)
            }
        }
        try await end.finish(nil)
    }

    /// Writes JSON, of which one piece at a time is encoded and waits for the client.
    @concurrent private func write(
        _ body: JSONBody, _ status: HTTPResponse.Status, _ form: Form, _ writer: consuming ResponseWriter,
        over channel: any Channel
    ) async throws {
        let type = "application/json"
        var pieces = BodyPieces(body)
        let first = await pieces.next() ?? ""
        guard !pieces.isAtEnd else {
            return try await write([Array(first.utf8)], type, status, form, [:], writer, over: channel)
        }
        var fields = form.fields
        fields[.contentType] = type
        let head = HTTPResponse(status: status, headerFields: fields)
        if form.isHead { return try await writer.writeResponse(head) }
        let end = try await writer.writeHead(head)
        try await Self.send(first, to: channel)
        while let piece = await pieces.next() { try await Self.send(piece, to: channel) }
        try await end.finish(nil)
    }

    @concurrent private func write(
        _ content: Content, _ form: Form, _ writer: consuming ResponseWriter, over channel: any Channel
    ) async throws {
        switch content {
        case .json(let body, let isNew):
            try await write(body, isNew ? .created : .ok, form, writer, over: channel)
        case .bytes(let blocks, let type, let tag, let location):
            var fields = HTTPFields()
            if let tag { fields[.eTag] = "\"\(tag)\"" }
            if let location { fields[.contentLocation] = location }
            try await write(blocks, type, .ok, form, fields, writer, over: channel)
        case .nothing: try await writer.writeResponse(HTTPResponse(status: .noContent, headerFields: form.fields))
        case .later(let value):
            let type = "application/json"
            if form.isHead { return try await write([], type, .ok, form, [:], writer, over: channel) }
            // White space before JSON (RFC 8259, 2).
            let body = OpenBody(type: type, opening: "", pulse: "\n")
            try await keepOpen(body, form, channel, writer) {
                var pieces = BodyPieces(await value())
                while let piece = await pieces.next() { try await Self.send(piece, to: channel) }
            }
        case .events(let feed):
            let type = "text/event-stream"
            if form.isHead { return try await write([], type, .ok, form, [:], writer, over: channel) }
            let body = OpenBody(type: type, opening: ": connected\n\n", pulse: ":\n\n")
            let lines = events.lines
            try await stream(body, form, events.listen(after: feed.after), channel, writer) {
                feed.selection.message($0, lines, hasText: feed.hasText)
            }
        case .lines(let lines):
            let type = "text/event-stream"
            if form.isHead { return try await write([], type, .ok, form, [:], writer, over: channel) }
            let body = OpenBody(type: type, opening: ": connected\n\n", pulse: ":\n\n")
            try await keepOpen(body, form, channel, writer) {
                for await line in lines { try await Self.send("data: \(line)\n\n", to: channel) }
            }
        }
    }

    /// A streamed body.
    private struct OpenBody {
        let type: String
        /// What it begins with.
        let opening: String
        /// What clients ignore.
        let pulse: String
    }

    /// Sends events until the client closes the connection, or the run ends.
    /// - Parameter message: the text of an event; `nil` for none.
    @concurrent private func stream(
        _ body: OpenBody, _ form: Form, _ events: AsyncStream<PostedEvent>, _ channel: any Channel,
        _ writer: consuming ResponseWriter, _ message: @escaping @Sendable (PostedEvent) -> String?
    ) async throws {
        try await keepOpen(body, form, channel, writer) {
            for await event in events {
                guard let message = message(event) else { continue }
                try await Self.send(message, to: channel)
            }
        }
    }

    /// Writes a body until all of it is sent, or the client closes the connection.
    ///
    /// The parts are written to the channel, so that a pulse can be written beside them: while there are no parts, a pulse that
    /// cannot be written shows that the client has closed the connection.
    /// - Parameter send: Sends the parts; it is cancelled when the connection is closed.
    @concurrent private func keepOpen(
        _ body: OpenBody, _ form: Form, _ channel: any Channel, _ writer: consuming ResponseWriter,
        _ send: @escaping @Sendable () async throws -> Void
    ) async throws {
        var fields = form.fields
        fields[.contentType] = body.type
        let end = try await writer.writeHead(HTTPResponse(status: .ok, headerFields: fields))
        let (opening, pulse) = (body.opening, body.pulse)
        let sending = Task {
            try await Self.send(opening, to: channel)
            try await send()
        }
        let beating = Task {
            while (try? await Task.sleep(for: Self.heartbeat)) != nil,
                (try? await Self.send(pulse, to: channel)) != nil
            {}
            sending.cancel()
        }
        let open = OpenTask(sending)
        channel.closeFuture.whenComplete { _ in open.cancel() }
        ReplyTimer.whenClientEnds(on: channel) { open.verify(by: pulse, on: channel) }
        await withTaskCancellationHandler {
            _ = await sending.result
        } onCancel: {
            sending.cancel()
            // Otherwise a write to a client that does not read never completes.
            channel.close(promise: nil)
        }
        open.release()
        beating.cancel()
        // Keep-alives must stop before the end of the body.
        await beating.value
        try await end.finish(nil)
    }

    /// Writes a part of a body, and waits until the socket has taken it.
    private static func send(_ text: String, to channel: any Channel) async throws {
        try await send(ByteBuffer(string: text), to: channel)
    }

    private static func send(_ bytes: ByteBuffer, to channel: any Channel) async throws {
        try await channel.writeAndFlush(HTTPResponsePart.body(bytes))
    }
}

/// JSON in pieces, each of which is encoded when it is needed.
struct BodyPieces {
    /// The size from which on a piece is complete, in bytes.
    static let size = 16_384

    private let body: JSONBody
    private var next = 0
    private var hasParts = false
    private(set) var isAtEnd = false

    init(_ body: JSONBody) { self.body = body }

    /// The next piece; `nil` after the last one.
    mutating func next() async -> String? {
        guard !isAtEnd else { return nil }
        var text = next == 0 ? body.opening : ""
        while next < body.count, text.utf8.count < Self.size {
            if let part = await body.part(next) {
                if hasParts { text += "," }
                text += part
                hasParts = true
            }
            next += 1
        }
        if next == body.count {
            text += body.closing
            isAtEnd = true
        }
        return text
    }
}

/// The clients of the connections.
private final class Clients: Sendable {
    private let requesters = Mutex<[ObjectIdentifier: Requester]>([:])

    subscript(channel: any Channel) -> Requester {
        let connection = ObjectIdentifier(channel)
        let (requester, isNew) = requesters.withLock { requesters in
            if let known = requesters[connection] { return (known, false) }
            let requester = Requester()
            requesters[connection] = requester
            return (requester, true)
        }
        if isNew {
            channel.closeFuture.whenComplete { [self] _ in
                requester.leave()
                requesters.withLock { $0[connection] = nil }
            }
        }
        return requester
    }
}

/// A task that is cancelled when its connection ends. A finished task is released, because a connection may last longer than
/// many of them.
private final class OpenTask: Sendable {
    private let task: Mutex<Task<Void, any Error>?>

    init(_ task: Task<Void, any Error>) { self.task = Mutex(task) }

    func cancel() { task.withLock { $0?.cancel() } }

    /// Writes what clients ignore, twice, to a client that has closed its side of the connection: if it has closed the other one,
    /// too, the second write fails, and the connection ends.
    func verify(by pulse: String, on channel: any Channel) {
        guard task.withLock({ $0 != nil }) else { return }
        channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(string: pulse)), promise: nil)
        channel.eventLoop.scheduleTask(in: .milliseconds(100)) { [self] in
            guard task.withLock({ $0 != nil }) else { return }
            channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(string: pulse)), promise: nil)
        }
    }

    func release() { task.withLock { $0 = nil } }
}

extension HTTPField.Name {
    static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
    static let accessControlAllowOrigin = HTTPField.Name("Access-Control-Allow-Origin")!
    static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
    /// For browsers without `frame-ancestors` (RFC 7034).
    static let xFrameOptions = HTTPField.Name("X-Frame-Options")!
}
