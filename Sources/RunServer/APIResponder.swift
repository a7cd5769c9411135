// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CMalloc
import Concurrency
import Emulator
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import NIOHTTPTypes
import RunAPI
import Synchronization

/// Answers requests: checks them, finds the operation, performs it, and has the reply written.
struct APIResponder: Sendable {
    /// The longest body, in bytes.
    static let longestBody = 65536
    private static let router = Router(Operations.all)

    let run: RunContext
    let requestGuard: RequestGuard
    /// The limit of concurrent streams of events.
    let streams: Places
    private let clients = Clients()

    private let memory = ReplyMemory.process
    private let turns = Turns(4)

    private func replies(to request: Request, over channel: any Channel) -> ReplyWriter {
        ReplyWriter(
            channel, memory, isHead: request.method == .head,
            allowedOrigin: requestGuard.allowedOrigin(of: request.head))
    }

    @concurrent func respond(
        to request: Request, _ writer: consuming ResponseWriter, over channel: any Channel
    ) async throws {
        let replies = replies(to: request, over: channel)
        if requestGuard.isPreflight(request.head) { return try await replies.writePreflight(writer) }
        let content: Content
        let turn: Turns.Turn?
        do {
            (content, turn) = try await Requester.$current.withValue(clients[channel]) { try await answer(request) }
        } catch let problem as Problem {
            return try await replies.write(problem, writer)
        }
        let takesPlace = content.isStream && request.method != .head
        guard !takesPlace || streams.take() else {
            return try await replies.write(.tooMany("streams of events"), writer)
        }
        defer { if takesPlace { streams.free() } }
        try await replies.write(content, run.emulator.events, turn, writer)
    }

    /// Answers a request of a connection beyond the limit, and closes it.
    @concurrent func refuse(
        _ request: Request, _ writer: consuming ResponseWriter, over channel: any Channel
    ) async throws {
        try await replies(to: request, over: channel).write(.tooMany("connections"), writer)
    }

    // MARK: - Requests

    /// - Returns: the content of the answer, and the turn of a request that only reads.
    /// - Throws: `Problem`, and nothing else.
    private func answer(_ request: Request) async throws -> (Content, Turns.Turn?) {
        let wanted = try APIRequest(request.head)
        let found = Self.router.find(wanted.segments)
        try requestGuard.check(
            // Browsers open streams without fields of their own.
            request.head, queryToken: found?.resource.isStream == true ? wanted.query[APIRequest.tokenParameter] : nil,
            isPage: found?.resource.isPage ?? false, takesText: found?.resource.takesText(wanted.method) ?? false
        )
        guard let (resource, names) = found else { throw Problem.noResource(wanted.path) }
        let method = wanted.method == .head ? HTTPRequest.Method.get : wanted.method
        guard resource.methods.contains(method) else {
            throw Problem.method(wanted.method, allowed: resource.methods)
        }
        let body = try await body(of: request, asText: resource.takesText(method))
        switch resource {
        case .page(let file):
            return (.bytes(BytesContent([file.bytes], type: file.type, isShared: true)), nil)
        case .operations(let endpoints):
            guard let endpoint = endpoints[method] else {
                throw Problem.method(wanted.method, allowed: resource.methods)
            }
            let values = try wanted.values(of: endpoint, names, body)
            let turn = endpoint.isSnapshot ? await turns.take() : nil
            do throws(EmulatorError) {
                return (try await endpoint.respond(values, run), turn)
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
}

/// The clients of the connections. When most of many have left, their memory is returned to the system.
private final class Clients: Sendable {
    private struct State {
        var requesters: [ObjectIdentifier: Requester] = [:]
        /// The largest number of clients since memory was returned.
        var peak = 0

        /// - Returns: whether most of many clients have left.
        mutating func remove(_ connection: ObjectIdentifier) -> Bool {
            requesters[connection] = nil
            guard peak >= Self.many, requesters.count <= peak / 8 else { return false }
            peak = requesters.count
            return true
        }

        private static let many = 64
    }

    private let state = Mutex(State())

    subscript(channel: any Channel) -> Requester {
        let connection = ObjectIdentifier(channel)
        let (requester, isNew) = state.withLock { state in
            if let known = state.requesters[connection] { return (known, false) }
            let requester = Requester()
            state.requesters[connection] = requester
            state.peak = max(state.peak, state.requesters.count)
            return (requester, true)
        }
        if isNew {
            channel.closeFuture.whenComplete { [self] _ in
                requester.leave()
                guard state.withLock({ $0.remove(connection) }) else { return }
                // Some milliseconds, for which the event loop need not wait.
                Task.detached(priority: .background) { malloc_trim(0) }
            }
        }
        return requester
    }
}
