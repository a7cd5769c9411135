// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import NIOHTTPTypes
import RunAPI

/// Writes a reply to a client, one part at a time: each waits until the socket has taken the part before.
///
/// What a long reply holds for its later parts counts in `memory`, unless other replies share it.
struct ReplyWriter: Sendable {
    /// The interval of keep-alives in replies that take long: comments in a stream of events, line feeds before JSON.
    private static let heartbeat = Duration.seconds(10)
    /// The time that a client has to read the last reply of a connection.
    private static let lingering = TimeAmount.seconds(1)
    private static let fields: HTTPFields = [
        // Against clickjacking.
        .contentSecurityPolicy: "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        .xFrameOptions: "DENY", .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
    ]
    private static let json = "application/json"
    private static let eventStream = "text/event-stream"

    private let channel: any Channel
    private let memory: ReplyMemory
    /// Whether the reply has no body.
    private let isHead: Bool
    /// The fields that the reply has besides the fields of its content.
    private let fields: HTTPFields

    /// - Parameter allowedOrigin: the origin of a page whose scripts may read the reply; `nil` for none but the server's own.
    init(_ channel: any Channel, _ memory: ReplyMemory, isHead: Bool, allowedOrigin: String?) {
        self.channel = channel
        self.memory = memory
        self.isHead = isHead
        var fields = Self.fields
        if let allowedOrigin {
            fields[.accessControlAllowOrigin] = allowedOrigin
            fields[.vary] = "Origin"
        }
        self.fields = fields
    }

    // MARK: - Kinds of replies

    /// Writes a reply without a body that allows a request to follow (Fetch, 3.3.1).
    @concurrent func writePreflight(_ writer: consuming ResponseWriter) async throws {
        try await writer.writeResponse(
            HTTPResponse(status: .noContent, headerFields: RequestGuard.preflightFields(fields)))
    }

    /// Writes why a request is refused.
    @concurrent func write(_ problem: Problem, _ writer: consuming ResponseWriter) async throws {
        var additional = HTTPFields()
        if !problem.methods.isEmpty { additional[.allow] = problem.methods.map(\.rawValue).joined(separator: ", ") }
        if problem.status == HTTPResponse.Status.unauthorized.code { additional[.wwwAuthenticate] = "Bearer" }
        if problem.endsConnection { additional[.connection] = "close" }
        let head = head(HTTPResponse.Status(code: problem.status), Problem.contentType, additional)
        try await write([Array(JSONLine.encode(problem).utf8)], isShared: false, head, nil, writer)
        if problem.endsConnection { try await endConnection() }
    }

    /// Writes the content of an answer.
    /// - Parameters:
    ///   - events: what streams of events follow.
    ///   - turn: released when the answer takes no memory any more that does not count; `nil` for none.
    @concurrent func write(
        _ content: Content, _ events: EventHub, _ turn: Turns.Turn?, _ writer: consuming ResponseWriter
    ) async throws {
        switch content {
        case .nothing: try await writer.writeResponse(head(.noContent))
        case .json(let body, let isNew): try await write(body, head(isNew ? .created : .ok, Self.json), turn, writer)
        case .bytes(let content):
            var additional = HTTPFields()
            if let tag = content.tag { additional[.eTag] = "\"\(tag)\"" }
            if let location = content.location { additional[.contentLocation] = location }
            let head = head(.ok, content.type, additional)
            try await write(content.blocks, isShared: content.isShared, head, turn, writer)
        case .later(let value):
            if isHead { return try await writer.writeResponse(head(.ok, Self.json)) }
            // White space before JSON (RFC 8259, 2).
            try await keepOpen(Opening(type: Self.json, text: "", pulse: "\n"), writer) { [self] in
                var pieces = BodyPieces(await value())
                guard let first = await pieces.next() else { return }
                let held = hold(pieces.held)
                defer { held?.end() }
                try await send(first)
                try await send(&pieces, held)
            }
        case .events(let feed):
            if isHead { return try await writer.writeResponse(head(.ok, Self.eventStream)) }
            let (posted, lines) = (events.listen(after: feed.after), events.lines)
            try await keepOpen(.events, writer) { [self] in
                for await event in posted {
                    guard let message = feed.selection.message(event, lines, hasText: feed.hasText) else { continue }
                    try await send(message)
                }
            }
        case .lines(let lines):
            if isHead { return try await writer.writeResponse(head(.ok, Self.eventStream)) }
            try await keepOpen(.events, writer) { [self] in
                for await line in lines { try await send("data: \(line)\n\n") }
            }
        }
    }

    private func head(
        _ status: HTTPResponse.Status, _ type: String? = nil, _ additional: HTTPFields = [:]
    ) -> HTTPResponse {
        var fields = fields
        fields.append(contentsOf: additional)
        fields[.contentType] = type
        return HTTPResponse(status: status, headerFields: fields)
    }

    // MARK: - Bodies

    /// Writes a body of known length.
    @concurrent private func write(
        _ blocks: [[UInt8]], isShared: Bool, _ head: HTTPResponse, _ turn: Turns.Turn?,
        _ writer: consuming ResponseWriter
    ) async throws {
        let length = blocks.reduce(0) { $0 + $1.count }
        let held = hold(isShared || length <= BodyPieces.size ? 0 : length, turn)
        defer { held?.end() }
        var head = head
        head.headerFields[.contentLength] = "\(length)"
        if isHead { return try await writer.writeResponse(head) }
        guard length > BodyPieces.size else {
            return try await writer.write(
                response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: blocks.joined())))
        }
        let end = try await writer.writeHead(head)
        for block in blocks {
            for start in stride(from: 0, to: block.count, by: BodyPieces.size) {
                try await send(ByteBuffer(bytes: block[start..<min(start + BodyPieces.size, block.count)]))
                held?.advance()
            }
        }
        try await end.finish(nil)
    }

    /// Writes JSON, of which one piece at a time is encoded.
    @concurrent private func write(
        _ body: JSONBody, _ head: HTTPResponse, _ turn: Turns.Turn?, _ writer: consuming ResponseWriter
    ) async throws {
        var pieces = BodyPieces(body)
        let first = await pieces.next() ?? ""
        guard !pieces.isAtEnd else {
            return try await write([Array(first.utf8)], isShared: false, head, turn, writer)
        }
        let held = hold(pieces.held, turn)
        defer { held?.end() }
        if isHead { return try await writer.writeResponse(head) }
        let end = try await writer.writeHead(head)
        try await send(first)
        try await send(&pieces, held)
        try await end.finish(nil)
    }

    /// Sends the pieces that are left.
    @concurrent private func send(_ pieces: inout BodyPieces, _ held: ReplyMemory.Held?) async throws {
        while let piece = await pieces.next() {
            held?.advance()
            try await send(piece)
        }
    }

    /// Counts what a reply holds until its end; `nil` for nothing. Then its turn is over.
    private func hold(_ bytes: Int, _ turn: Turns.Turn? = nil) -> ReplyMemory.Held? {
        defer { turn?.release() }
        return bytes > 0 ? memory.hold(bytes) { [channel] in channel.close(promise: nil) } : nil
    }

    // MARK: - Bodies that stay open

    /// How a body begins to which parts are added while it is open.
    private struct Opening {
        static let events = Opening(type: ReplyWriter.eventStream, text: ": connected\n\n", pulse: ":\n\n")

        let type: String
        let text: String
        /// What clients ignore.
        let pulse: String
    }

    /// Writes a body until all of it is sent, or the client closes the connection, or the run ends.
    ///
    /// The parts are written to the channel, so that a pulse can be written beside them: while there are no parts, a pulse that
    /// cannot be written shows that the client has closed the connection.
    /// - Parameter send: Sends the parts; it is cancelled when the connection is closed.
    @concurrent private func keepOpen(
        _ opening: Opening, _ writer: consuming ResponseWriter, _ send: @escaping @Sendable () async throws -> Void
    ) async throws {
        let end = try await writer.writeHead(head(.ok, opening.type))
        let (text, pulse) = (opening.text, opening.pulse)
        let sending = Task {
            try await self.send(text)
            try await send()
        }
        let beating = Task {
            while (try? await Task.sleep(for: Self.heartbeat)) != nil, (try? await self.send(pulse)) != nil {}
            sending.cancel()
        }
        let open = OpenTask(sending)
        channel.closeFuture.whenComplete { _ in open.cancel() }
        ReplyTimer.whenClientEnds(on: channel) { [channel] in open.verify(by: pulse, on: channel) }
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

    // MARK: - The connection

    /// Writes a part of a body, and waits until the socket has taken it.
    private func send(_ text: String) async throws { try await send(ByteBuffer(string: text)) }

    private func send(_ bytes: ByteBuffer) async throws {
        try await channel.writeAndFlush(HTTPResponsePart.body(bytes))
    }

    /// Closes a connection after its last reply: the write side first, and the rest some time later, since closing a socket
    /// with unread input sends a TCP reset, by which the client may lose the reply (RFC 9112, 9.6).
    /// - Throws: always, so that no other request is read.
    private func endConnection() async throws {
        try? await channel.close(mode: .output).get()
        let closing = channel.eventLoop.scheduleTask(in: Self.lingering) { [channel] in channel.close(promise: nil) }
        try await channel.closeFuture.get()
        closing.cancel()
        throw ChannelError.alreadyClosed
    }
}

extension HTTPField.Name {
    static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
    static let accessControlAllowOrigin = HTTPField.Name("Access-Control-Allow-Origin")!
    static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
    /// For browsers without `frame-ancestors` (RFC 7034).
    static let xFrameOptions = HTTPField.Name("X-Frame-Options")!
}
