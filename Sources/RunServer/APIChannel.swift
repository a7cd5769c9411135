// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

/// The limits of the HTTP server, which bound what clients take of its memory and of its file descriptors.
struct APILimits: Sendable {
    /// The connections that are served at once. Those beyond it are answered with status 503.
    var connections = 2048
    /// The connections that are answered with status 503 at once. Those beyond it wait to be accepted.
    var refusals = 64
    /// The time from a connection that is answered with status 503 to the end of its head.
    var refusalTime = TimeAmount.seconds(1)
    /// The streams of events at once.
    var streams = 1024
    /// The time from the connection to the end of the first head; `nil` for no limit.
    var headTime: TimeAmount? = .seconds(10)
    /// The time from the end of a head to the end of the body.
    var bodyTime = TimeAmount.seconds(30)
    /// The time from a reply to the end of the next head; `nil` for no limit.
    var idleTime: TimeAmount? = .seconds(60)
    /// The time in which a client reads something of a reply that waits for it. Streams of events wait without a limit.
    var readingTime = TimeAmount.seconds(30)
    /// The time in which the reply to a client that has closed its side of the connection has to begin.
    var departureTime = TimeAmount.seconds(1)
    /// The fields of a request.
    var fields = 100
    /// The head of a request, in bytes.
    var head = 16_384

    /// Those for programs of the user who runs the program: their connections have no limit of idle time.
    static var local: APILimits {
        var limits = APILimits()
        (limits.headTime, limits.idleTime) = (nil, nil)
        return limits
    }
}

/// The connections of the HTTP server.
struct APIChannel: ServerChildChannel {
    /// A connection that is about to be served or refused.
    struct Value: ServerChildChannelValue {
        fileprivate let connection: PendingConnection
        fileprivate let isServed: Bool

        var channel: any Channel { connection.channel }
    }

    /// What the kernel keeps for a client that does not read, in bytes; Linux uses twice as much (socket(7)).
    static let sendBuffer: SocketOptionValue = 131_072

    private let served: HTTP1Channel
    private let refused: HTTP1Channel
    private let places: Places
    private let admission: APIServer.Admission?

    /// Connections within limits.
    /// - Parameters:
    ///   - admission: whether a connection is served; those that are not are closed. `nil` serves all of them.
    ///   - serve: answers the requests of a connection.
    ///   - refuse: answers the only request of a connection beyond the limit.
    init(
        _ limits: APILimits, admission: APIServer.Admission? = nil, serve: @escaping HTTPChannelHandler.Responder,
        refuse: @escaping HTTPChannelHandler.Responder
    ) {
        let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.head, maxHeaderListSize: limits.head, maxHeaderFieldCount: limits.fields)
        func channel(
            headTime: TimeAmount?, idleTime: TimeAmount?, _ responder: @escaping HTTPChannelHandler.Responder
        ) -> HTTP1Channel {
            HTTP1Channel(
                responder: responder,
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [
                        RequestTimer(headTime: headTime, bodyTime: limits.bodyTime),
                        ReplyTimer(readingTime: limits.readingTime, departureTime: limits.departureTime),
                    ],
                    idleTimeout: idleTime, httpDecoderConfiguration: decoder))
        }
        served = channel(headTime: limits.headTime, idleTime: limits.idleTime, serve)
        refused = channel(headTime: limits.refusalTime, idleTime: limits.refusalTime, refuse)
        places = Places(limits.connections)
        self.admission = admission
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let admission else { return admit(channel, logger) }
        return admission(channel).flatMap { isAdmitted in
            if isAdmitted { return admit(channel, logger) }
            // The server closes no connection whose setup fails.
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
        }
    }

    private func admit(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<Value> {
        let isServed = places.take()
        if isServed { channel.closeFuture.whenComplete { [places] _ in places.free() } }
        return http(isServed).setup(channel: channel, logger: logger)
            .flatMapThrowing { connection in
                let pending = PendingConnection(connection)
                // Otherwise the kernel takes megabytes for each client that does not read.
                try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
                // The codec drops the authority of the target.
                let codec = try channel.pipeline.syncOperations.context(handlerType: HTTP1ToHTTPServerCodec.self)
                try channel.pipeline.syncOperations.addHandler(TargetHost(), position: .before(codec.handler))
                return Value(connection: pending, isServed: isServed)
            }
    }

    func handle(value: Value, logger: Logger) async {
        guard let connection = value.connection.take() else { return }
        await http(value.isServed).handle(value: connection, logger: logger)
    }

    private func http(_ isServed: Bool) -> HTTP1Channel { isServed ? served : refused }
}

/// A limited number of places.
final class Places: Sendable {
    private let number: Int
    private let taken = Mutex(0)

    init(_ number: Int) { self.number = number }

    /// Takes a place; `false` if none is free.
    func take() -> Bool {
        taken.withLock { taken in
            guard taken < number else { return false }
            taken += 1
            return true
        }
    }

    /// Frees a place that was taken.
    func free() { taken.withLock { $0 -= 1 } }
}

/// An accepted connection, which is closed unless it is taken: the server drops those that it accepts at the moment of its
/// end, and an asynchronous channel traps when it is dropped unused.
private final class PendingConnection: Sendable {
    let channel: any Channel
    private let connection: Mutex<HTTP1Channel.Value?>

    init(_ connection: HTTP1Channel.Value) {
        channel = connection.channel
        self.connection = Mutex(connection)
    }

    func take() -> HTTP1Channel.Value? {
        connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
    }

    deinit {
        guard let unused = take() else { return }
        Task { try? await unused.executeThenClose { _, _ in } }
    }
}

/// Gives a request whose target is a whole URI the host of the target, instead of the one in its `Host` field (RFC 9112, 3.2.2).
private final class TargetHost: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), let host = Self.host(of: head.uri),
            // Several fields are refused.
            head.headers["Host"].count == 1
        else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "Host", value: host)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// The authority of a URI; `nil` for the target of another form.
    private static func host(of target: String) -> String? {
        guard !target.hasPrefix("/"), let begin = target.utf8.firstRange(of: Array("://".utf8))?.upperBound else {
            return nil
        }
        return String(target[begin...].prefix { !"/?#".contains($0) })
    }
}

/// Closes a connection whose request does not arrive in time.
///
///             head                 end
///     head ---------> body ------------------> idle
///      |               | ^         head         |
///      | headTime      | +----------------------+
///      v               v bodyTime
///    closed          closed
///
/// `HTTPConnectionStateHandler` limits the time in `idle`.
private final class RequestTimer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let headTime: TimeAmount?
    private let bodyTime: TimeAmount
    private var timer: Scheduled<Void>?
    /// The number of complete requests that are not answered yet.
    private var unanswered = 0
    private var hasFailed = false

    init(headTime: TimeAmount?, bodyTime: TimeAmount) {
        self.headTime = headTime
        self.bodyTime = bodyTime
    }

    func handlerAdded(context: ChannelHandlerContext) { close(context.channel, in: headTime) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: close(context.channel, in: bodyTime)
        case .body: break
        case .end:
            unanswered += 1
            timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { unanswered -= 1 }
        context.write(data, promise: promise)
        if hasFailed { closeAfterAnswers(context) }
    }

    /// After an error, as of the parser, nothing more is read, and the reply to it is written already: a client that goes on
    /// sending does not keep the connection. The requests before it are answered first.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        timer?.cancel()
        closeAfterAnswers(context)
        context.fireErrorCaught(error)
    }

    private func closeAfterAnswers(_ context: ChannelHandlerContext) {
        if unanswered <= 0 { close(context.channel, in: Self.lingering) }
    }

    private static let lingering = TimeAmount.seconds(1)

    private func close(_ channel: any Channel, in time: TimeAmount?) {
        timer?.cancel()
        guard let time else { return }
        timer = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

/// Closes a connection whose client does not read a reply, or has closed its side of the connection before the reply begins.
///
/// A client that only has no more requests may close its side, too; it gets the replies that begin within the limit.
final class ReplyTimer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let readingTime: TimeAmount
    private let departureTime: TimeAmount
    private var timer: Scheduled<Void>?
    private var departure: Scheduled<Void>?
    /// The number of parts that the socket has not taken yet.
    private var waiting = 0
    /// When it took one, or had none, last.
    private var progress = NIODeadline.now()
    private var isStream = false
    /// The number of requests whose replies have not begun.
    private var unanswered = 0
    /// Whether a reply has begun and not ended.
    private var isReplying = false
    private var ends: [@Sendable () -> Void] = []
    private var hasEnded = false

    init(readingTime: TimeAmount, departureTime: TimeAmount) {
        self.readingTime = readingTime
        self.departureTime = departureTime
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            hasEnded = true
            for end in ends { end() }
            ends = []
            if !isReplying { expectReply(on: context.channel) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Calls a function when the client has closed its side of the connection. On the event loop.
    static func whenClientEnds(on channel: any Channel, _ end: @escaping @Sendable () -> Void) {
        channel.eventLoop.execute {
            guard let timer = try? channel.pipeline.syncOperations.handler(type: ReplyTimer.self) else { return }
            if timer.hasEnded { end() } else { timer.ends.append(end) }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { unanswered += 1 }
        context.fireChannelRead(data)
    }

    /// Closes the connection of a client that has closed its side, unless a reply begins within the limit.
    private func expectReply(on channel: any Channel) {
        guard unanswered > 0 else { return }
        departure = channel.eventLoop.scheduleTask(in: departureTime) { channel.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isStream = head.headerFields[.contentType] == "text/event-stream"
            isReplying = true
            unanswered -= 1
            departure?.cancel()
        case .body: break
        case .end:
            isReplying = false
            if hasEnded { expectReply(on: context.channel) }
        }
        let written = promise ?? context.eventLoop.makePromise()
        if waiting == 0 { progress = .now() }
        waiting += 1
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.waiting -= 1
            self.progress = .now()
        }
        if timer == nil { check(context.channel, at: progress + readingTime) }
        context.write(data, promise: written)
    }

    /// Closes the connection if nothing has been read at a time for as long as the limit.
    private func check(_ channel: any Channel, at time: NIODeadline) {
        timer = channel.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [self] in
            timer = nil
            guard waiting > 0, !isStream else { return }
            let end = progress + readingTime
            if end <= .now() { channel.close(promise: nil) } else { check(channel, at: end) }
        }
    }

    private func end() {
        timer?.cancel()
        departure?.cancel()
    }
}
