// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Sockets
import Synchronization

/// A listening HTTP server with its connections.
final class APIServer: Sendable {
    /// Why it does not listen.
    enum Failure: Error {
        /// The address cannot be used: the reason of the system, as a clause.
        case address(String)
        /// What was to follow the binding has failed.
        case preparation(EmulatorError)
    }

    /// Decides, on the event loop of an accepted connection, whether it is served.
    typealias Admission = @Sendable (any Channel) -> EventLoopFuture<Bool>

    /// How long connections may take to end.
    private static let patience = Duration.milliseconds(500)

    /// The address that is bound.
    let address: SocketAddress?
    private let server: Server<APIChannel>
    private let serving: Task<Void, Never>

    /// Listens.
    /// - Parameters:
    ///   - admission: Whether a connection is served; `nil` serves all of them.
    ///   - prepare: Called when the address is bound; returns why the server cannot be used.
    /// - Throws: `Failure`; then nothing listens.
    init(
        at address: BindAddress, _ responder: APIResponder, _ limits: APILimits, admission: Admission? = nil,
        prepare: @escaping @Sendable () -> EmulatorError? = { nil }
    ) async throws(Failure) {
        var logger = Logger(label: "beaconry") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let (started, continuation) = AsyncStream.makeStream(of: SocketAddress?.self)
        let failure = Mutex<Failure?>(nil)
        let server = Server(
            childChannelSetup: APIChannel(limits, admission: admission) { request, writer, channel in
                try await responder.respond(to: request, writer, over: channel)
            } refuse: { request, writer, channel in
                try await responder.refuse(request, writer, over: channel)
            },
            configuration: ServerConfiguration(
                address: address,
                availableConnectionsDelegate: .maximum(limits.connections + limits.refusals, logger: logger)),
            onServerRunning: { channel in
                try? await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(AcceptRest(), position: .first)
                }.get()
                failure.withLock { $0 = prepare().map(Failure.preparation) }
                continuation.yield(channel.localAddress)
                continuation.finish()
            }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        serving = Task {
            do {
                try await server.run()
            } catch {
                failure.withLock { $0 = .address(SystemErrorText.words(error)) }
            }
            continuation.finish()
        }
        self.server = server
        var iterator = started.makeAsyncIterator()
        let bound = await iterator.next()
        self.address = bound ?? nil
        if let failure = failure.withLock(\.self) {
            await close()
            throw failure
        }
    }

    /// Ends the server: open connections end, after those replies that are under way.
    func close() async {
        let ending = Task { [server] in try? await server.shutdownGracefully() }
        let timer = Task { [serving] in
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            serving.cancel()
        }
        await serving.value
        timer.cancel()
        ending.cancel()
    }
}

extension APIServer.Failure {
    /// The error of a run.
    /// - Parameters:
    ///   - problem: what cannot be created, as a sentence.
    ///   - hint: what to do if the address cannot be used.
    func error(creating problem: String, hint: String) -> EmulatorError {
        switch self {
        case .address(let reason): EmulatorError(.cannotCreate, "\(problem): \(reason)", hint: hint)
        case .preparation(let error): error
        }
    }
}
