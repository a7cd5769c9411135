// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
package import Operations
import Sockets
import Synchronization

/// The HTTP server of a run's control requests (docs/http.md).
package final class ControlAPI: Sendable {
    /// The options of the server.
    package struct Options: Sendable {
        /// Where it listens.
        package var address: ControlAddress
        /// Further names of this machine that a `Host` field may have.
        package var hosts: [String]
        /// The token that requests must have; `nil` for none.
        package var token: String?
        /// The version of the program.
        package var version: String
        /// Which metrics have a sample for each beacon; `nil` for all up to 1,000 beacons, and none above.
        package var metricsDetail: MetricsDetail?

        package init(
            address: ControlAddress, hosts: [String] = [], token: String? = nil, version: String,
            metricsDetail: MetricsDetail? = nil
        ) {
            self.address = address
            self.hosts = hosts
            self.token = token
            self.version = version
            self.metricsDetail = metricsDetail
        }
    }

    /// The URL of the server, `http://HOST:PORT` or `unix:PATH`.
    package let url: String
    private let address: ControlAddress
    private let serving: Task<Void, Never>
    private let following: Task<Void, Never>
    private let server: Server<APIChannel>
    /// How long connections may take to end.
    private static let patience = Duration.seconds(1)

    /// Starts the server: before the run, so that it has all events.
    /// - Throws: `EmulatorError` `.cannotCreate` if the address cannot be used.
    package convenience init(_ emulator: Emulator, _ options: Options) async throws(EmulatorError) {
        try await self.init(emulator, options, limits: APILimits())
    }

    init(_ emulator: Emulator, _ options: Options, limits: APILimits) async throws(EmulatorError) {
        let hint = "stop the program that uses it, or choose another address (--http 127.0.0.1:0 takes a free port)"
        if case .unix(let path) = options.address { try await SocketFile.claim(path, hint: hint) }
        emulator.events.keepJournal()
        let run = RunContext(emulator, version: options.version, detail: options.metricsDetail)
        let responder = APIResponder(
            run: run, requestGuard: RequestGuard(hosts: Self.hosts(options), token: options.token),
            streams: Places(limits.streams))
        var logger = Logger(label: "beaconry") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let (started, continuation) = AsyncStream.makeStream(of: SocketAddress?.self)
        let server = Server(
            childChannelSetup: APIChannel(limits) { request, writer, channel in
                try await responder.respond(to: request, writer, over: channel)
            } refuse: { request, writer, channel in
                try await responder.refuse(request, writer, over: channel)
            },
            configuration: ServerConfiguration(
                address: Self.bindAddress(options.address),
                availableConnectionsDelegate: .maximum(limits.connections + limits.refusals, logger: logger)),
            onServerRunning: { channel in
                try? await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(AcceptRest(), position: .first)
                }.get()
                if case .unix(let path) = options.address { SocketFile.protect(path) }
                continuation.yield(channel.localAddress)
                continuation.finish()
            }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        let failure = Mutex<String?>(nil)
        serving = Task {
            do {
                try await server.run()
            } catch {
                failure.withLock { $0 = SystemErrorText.words(error) }
            }
            continuation.finish()
        }
        var iterator = started.makeAsyncIterator()
        guard let bound = await iterator.next() else {
            throw EmulatorError(
                .cannotCreate,
                "cannot listen on \(Self.text(options.address)) for HTTP: \(failure.withLock(\.self) ?? "")",
                hint: hint)
        }
        following = Task { await run.follow() }
        self.server = server
        address = options.address
        url = Self.url(options.address, port: bound?.port)
        emulator.events.post(.controlServed(url: url))
    }

    /// Ends the server: open connections end, after those replies that are under way.
    package func close() async {
        let ending = Task { [server] in try? await server.shutdownGracefully() }
        let timer = Task { [serving] in
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            serving.cancel()
        }
        await serving.value
        timer.cancel()
        ending.cancel()
        following.cancel()
        if case .unix(let path) = address { SocketFile.remove(path) }
    }

    private static func hosts(_ options: Options) -> Set<String>? {
        guard case .tcp(let host, _) = options.address else { return nil }
        return ControlAddress.localHosts.union([host.lowercased()]).union(options.hosts.map { $0.lowercased() })
    }

    private static func bindAddress(_ address: ControlAddress) -> BindAddress {
        switch address {
        case .tcp(let host, let port): .hostname(host, port: port)
        case .unix(let path): .unixDomainSocket(path: path)
        }
    }

    private static func text(_ address: ControlAddress) -> String {
        switch address {
        case .tcp(let host, let port): "\(host):\(port)"
        case .unix(let path): path
        }
    }

    private static func url(_ address: ControlAddress, port: Int?) -> String {
        switch address {
        case .tcp(let host, let requested): "http://\(host.contains(":") ? "[\(host)]" : host):\(port ?? requested)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
