// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Concurrency
import NIOCore
import NIOPosix
package import Radio
import Sockets

/// An ESPHome Bluetooth proxy on the network as a radio that receives: it sends the advertisements that it receives over
/// TCP. It makes no connections here.
///
/// A proxy that is lost is not connected again, unless the radio is opened once more. All state is on the event loop
/// of the connection.
package actor ProxyRadio: CentralRadio {
    /// Passes what happens to the connection to the radio.
    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let radio: ProxyRadio

        init(_ radio: ProxyRadio) { self.radio = radio }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            radio.assumeIsolated { $0.receive(bytes) }
        }

        func channelInactive(context: ChannelHandlerContext) { radio.assumeIsolated { $0.connectionEnded() } }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// The size of the system's buffer for the proxy, in bytes.
    private static let sendBuffer: ChannelOptions.Types.SocketOption.Value = 16_384

    package nonisolated let name: String
    private let place: HostAndPort
    private let key: EncryptionKey?
    private let limits: ClientSession.Limits
    private nonisolated let loop: any EventLoop
    private nonisolated let state: ObservedState<CentralRadioState>
    private let start = ContinuousClock.now
    private var isClosed = false

    /// `nil` before a connection and after its end.
    private var session: ClientSession?
    private var channel: (any Channel)?
    private var ticks: RepeatedTask?
    private var capabilities: ReceivingCapabilities?
    private var sightings: AsyncStream<Sighting>.Continuation?
    /// The callers that wait for the session, or a subscription.
    private var waiting: [CheckedContinuation<ProxyFault?, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// The radio of a proxy, not open yet.
    /// - Parameters:
    ///   - place: where its API listens.
    ///   - key: its key; `nil` for none.
    package init(_ place: HostAndPort, key: EncryptionKey?) {
        self.init(place, key: key, limits: ClientSession.Limits())
    }

    init(_ place: HostAndPort, key: EncryptionKey?, limits: ClientSession.Limits) {
        self.place = place
        self.key = key
        self.limits = limits
        name = Self.name(of: place)
        loop = MultiThreadedEventLoopGroup.singleton.next()
        state = ObservedState(
            .unavailable(RadioError(.refused, "\(name) is not open", hint: "open it first")))
    }

    /// The name of the radio of a proxy, which does not contain its key.
    package static func name(of place: HostAndPort) -> String {
        "esphome:" + (place.host.contains(":") ? "[\(place.host)]" : place.host) + ":\(place.port)"
    }

    // MARK: - Opening and closing

    package func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
        while true {
            if let capabilities { return capabilities }
            guard !isClosed else { throw ProxyFault.closed.error(of: name) }
            guard let fault = await connect() else {
                // It may have ended since.
                guard let capabilities else { throw unavailability }
                return capabilities
            }
            guard !isClosed else { throw ProxyFault.closed.error(of: name) }
            guard waits, fault.isTemporary, !Task.isCancelled else { throw fault.error(of: name) }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Connects, and waits until the proxy has described itself, or for the connection that is under way.
    /// - Returns: why there is no session; `nil` if there is one.
    private func connect() async -> ProxyFault? {
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            guard session == nil else { return }
            session = ClientSession(key: key, limits: limits)
            ClientBootstrap(group: loop)
                .connectTimeout(TimeAmount(limits.connecting))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
                // Nothing is read until `begin`.
                .channelOption(.autoRead, value: false)
                .connect(host: place.host, port: place.port)
                .whenComplete { result in
                    // The loop of the connection is the executor of this actor.
                    self.assumeIsolated { radio in
                        switch result {
                        case .success(let channel): radio.begin(channel)
                        case .failure(let error): radio.end(.unreachable(SystemErrorText.words(error)))
                        }
                    }
                }
        }
    }

    private func begin(_ channel: any Channel) {
        guard session != nil else { return channel.close(promise: nil) }
        self.channel = channel
        do {
            try channel.pipeline.syncOperations.addHandler(Receiver(self))
        } catch {
            return end(.unreachable(SystemErrorText.words(error)))
        }
        guard channel.isActive else { return connectionEnded() }
        ticks = loop.scheduleRepeatedTask(initialDelay: TimeAmount(limits.tick), delay: TimeAmount(limits.tick)) { _ in
            self.assumeIsolated { radio in radio.perform { $0.tick(at: radio.now) } }
        }
        perform { $0.start(at: now) }
        _ = channel.setOption(.autoRead, value: true)
    }

    package func states() -> AsyncStream<CentralRadioState> { state.stream }

    package func close() async {
        guard !isClosed else { return }
        isClosed = true
        sightings?.finish()
        sightings = nil
        perform { $0.leave(at: now) }
        try? await channel?.closeFuture.get()
        state.finish()
    }

    // MARK: - Scanning

    package func scan(_ settings: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
        guard settings.isActive else {
            let limit = ReceivingCapabilities.Limit.mode
            throw RadioError(.unsupported, limit.reason, hint: limit.hint)
        }
        guard capabilities != nil else { throw unavailability }
        sightings?.finish()
        let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self, bufferingPolicy: .bufferingNewest(4096))
        sightings = continuation
        let fault = await withCheckedContinuation { waiter in
            waiting.append(waiter)
            perform { $0.subscribe(at: now) }
        }
        if let fault { throw fault.error(of: name) }
        return stream
    }

    package func stopScanning() {
        sightings?.finish()
        sightings = nil
        perform { $0.unsubscribe() }
        // A scan that still waits for the proxy returns its stream, which has ended.
        if capabilities != nil { settle(nil) }
    }

    package func connect(to device: RemoteAddress, timeout: Duration) throws(RadioError) -> any RemoteLink {
        throw RadioError(
            .unsupported, "\(name) receives advertisements only", hint: "connect with an adapter (--radio bluez)")
    }

    private var unavailability: RadioError {
        if case .unavailable(let error) = state.value { error } else { ProxyFault.closed.error(of: name) }
    }

    // MARK: - The session

    private var now: Duration { start.duration(to: .now) }

    private func receive(_ bytes: ByteBuffer) { perform { $0.receive(bytes.readableBytesView, at: now) } }

    private func connectionEnded() { perform { $0.connectionEnded() } }

    private func perform(_ step: (inout ClientSession) -> [ClientSession.Action]) {
        guard var session else { return }
        let actions = step(&session)
        self.session = session
        for action in actions {
            // A write that fails ends the session at once.
            guard self.session != nil else { return }
            switch action {
            case .send(let bytes): send(bytes)
            case .ready(let identity):
                capabilities = ReceivingCapabilities(identity, name: name)
                state.set(.ready)
                settle(nil)
            case .subscribed: settle(nil)
            case .received(let found): for sighting in found { sightings?.yield(sighting) }
            case .end(let fault): end(fault ?? .closed)
            }
        }
    }

    private func send(_ bytes: [UInt8]) {
        guard let channel else { return }
        // What is sent is so short that a proxy which reads takes it at once.
        guard channel.isWritable else { return end(.notReading) }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    private func end(_ fault: ProxyFault) {
        guard session != nil else { return }
        session = nil
        capabilities = nil
        ticks?.cancel()
        ticks = nil
        channel?.close(promise: nil)
        state.set(.unavailable(fault.error(of: name)))
        sightings?.finish()
        sightings = nil
        settle(fault)
    }

    private func settle(_ fault: ProxyFault?) {
        for waiter in waiting { waiter.resume(returning: fault) }
        waiting = []
    }
}

extension ReceivingCapabilities {
    fileprivate init(_ identity: ProxyIdentity, name: String) {
        self.init(
            name: name, way: .description(of: identity),
            address: identity.address == .zero ? nil : identity.address,
            limits: [
                Limit(
                    .pdu,
                    reason: "an ESPHome proxy does not report the PDU of an advertisement, and may append the scan "
                        + "response to its data", hint: Limit.adapter),
                Limit(
                    .duplicates,
                    reason: "an ESPHome proxy scans part of the time, and sends what it receives in batches",
                    hint: Limit.adapter),
                .mode, .exclusive,
            ])
    }
}

extension ReceivingCapabilities.Limit {
    fileprivate static let adapter = "receive with an adapter, such as --radio hci-socket:N"

    /// Why there are no passive scans.
    fileprivate static let mode = ReceivingCapabilities.Limit(
        .passiveScanning, reason: "an ESPHome proxy scans as its configuration says", hint: adapter)

    fileprivate static let exclusive = ReceivingCapabilities.Limit(
        .exclusive,
        reason: "an ESPHome proxy sends its advertisements to one client, so Home Assistant may get none from it until "
            + "it connects again",
        hint: "if the proxy is one of Home Assistant, reload it there (integration ESPHome)")
}
