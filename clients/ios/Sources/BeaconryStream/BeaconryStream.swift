// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A stream of server-sent events of a receiver that connects again whenever it ends.
///
/// States: connecting, connected, waiting (a second, after the end of a connection or an error), creating, closed. A receiver that
/// does not exist (404) is created with the defaults, and the stream connects again at once; only if it is still missing then,
/// it waits, and creates it again after that. Creating happens after a 404 only: a receiver that exists keeps its settings.
public final class BeaconryStream: Sendable {
    /// What happens to a stream.
    public enum Event: Hashable, Sendable {
        /// Connected: what follows comes from this connection.
        case connected
        /// The payload of one event, usually a JSON object; it may be malformed.
        case payload(Data)
        /// A connection ended, or an attempt failed. The next attempt follows.
        case disconnected(RequestFailure)
    }

    /// The limits of a stream.
    public struct Options: Hashable, Sendable {
        /// The time in seconds between the end of a connection and the next attempt.
        public var retryDelay = 1.0
        /// The time in seconds without a byte after which a connection is dead. The server sends a comment every 10 s.
        public var readTimeout = 30.0
        /// The maximum number of bytes in a line; longer ones are dropped.
        public var maximumLineLength = 1 << 20

        /// The default limits.
        public init() {}
    }

    private let connection: Connection

    /// Opens a stream.
    /// - Parameters:
    ///   - server: the receiver.
    ///   - resource: `advertisements`, `ranging` or `monitoring`.
    ///   - query: the parameters of the query.
    ///   - options: the limits.
    ///   - received: gets the events, one at a time, on a thread of the stream.
    public init(
        _ server: BeaconryServer, _ resource: String, query: [URLQueryItem] = [], options: Options = Options(),
        received: @escaping @Sendable (Event) -> Void
    ) {
        connection = Connection(server, resource, query: query, options: options, received: received)
        connection.connect()
    }

    deinit { close() }

    /// Closes the stream for good. After this, at most one event comes that was being delivered on another thread.
    public func close() { connection.close() }
}

private final class Connection: Sendable {
    private struct State {
        var isClosed = false
        /// The status of the answer, once there is one that is not an event stream.
        var refusal: Int?
        var isConnected = false
        /// Whether the receiver was created since the stream last waited.
        var hasCreated = false
        var parser: EventParser
        var body = Data()
    }

    private let server: BeaconryServer
    private let resource: String
    private let query: [URLQueryItem]
    private let options: BeaconryStream.Options
    private let received: @Sendable (BeaconryStream.Event) -> Void
    private let session: HTTPSession
    private let state: Locked<State>

    init(
        _ server: BeaconryServer, _ resource: String, query: [URLQueryItem], options: BeaconryStream.Options,
        received: @escaping @Sendable (BeaconryStream.Event) -> Void
    ) {
        self.server = server
        self.resource = resource
        self.query = query
        self.options = options
        self.received = received
        session = HTTPSession(readTimeout: options.readTimeout)
        state = Locked(State(parser: EventParser(maximumLineLength: options.maximumLineLength)))
    }

    func connect() {
        state.withLock {
            $0.refusal = nil
            $0.isConnected = false
            $0.body = Data()
            // What the last connection left of a line does not continue on this one.
            $0.parser = EventParser(maximumLineLength: options.maximumLineLength)
        }
        var request = server.request("GET", [resource], query: query)
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        session.start(request) { [weak self] in self?.take($0) }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        session.close()
    }

    private func take(_ event: HTTPEvent) {
        switch event {
        case .response(let status, let mediaType):
            let isStream = status == 200 && mediaType == "text/event-stream"
            state.withLock {
                $0.isConnected = isStream
                $0.refusal = isStream ? nil : status
            }
            if isStream { deliver(.connected) }
        case .data(let data):
            let payloads = state.withLock { state -> [Data] in
                if state.isConnected { return state.parser.take(data) }
                // The details of a problem: as much as a log needs.
                state.body.append(data.prefix(65_536 - state.body.count))
                return []
            }
            for payload in payloads { deliver(.payload(payload)) }
        case .end(let error):
            end(error)
        }
    }

    private func end(_ error: (any Error)?) {
        let (isClosed, failure) = state.withLock { state -> (Bool, RequestFailure) in
            let failure =
                if let error {
                    RequestFailure(error)
                } else if state.refusal == 200 {
                    RequestFailure("the answer is not a stream of events", hint: "check the URL")
                } else if let status = state.refusal {
                    RequestFailure(status: status, body: state.body)
                } else {
                    RequestFailure("the stream ended")
                }
            return (state.isClosed, failure)
        }
        guard !isClosed else { return }
        // Once before it waits: a server that does not have the resource would otherwise get one PUT after the other.
        let mustCreate = state.withLock { state in
            guard failure.status == 404, !state.hasCreated else { return false }
            state.hasCreated = true
            return true
        }
        if mustCreate { create() } else { retry(after: failure) }
    }

    private func create() {
        Task { [weak self, session, server] in
            var request = server.request("PUT", body: Data("{}".utf8))
            // Another client may have created and configured it meanwhile: 412 from a server that heeds this.
            request.setValue("*", forHTTPHeaderField: "If-None-Match")
            do {
                let reply = try await session.send(request)
                if (200..<300).contains(reply.status) || reply.status == 412 {
                    self?.connect()
                } else {
                    self?.retry(after: RequestFailure(status: reply.status, body: reply.body))
                }
            } catch {
                self?.retry(after: error as? RequestFailure ?? RequestFailure(error))
            }
        }
    }

    private func retry(after failure: RequestFailure) {
        state.withLock { $0.hasCreated = false }
        deliver(.disconnected(failure))
        DispatchQueue.global().asyncAfter(deadline: .now() + options.retryDelay) { [weak self] in self?.connect() }
    }

    private func deliver(_ event: BeaconryStream.Event) {
        guard !state.withLock({ $0.isClosed }) else { return }
        received(event)
    }
}
