// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import NIOCore
import NIOPosix
package import Radio
import Sockets

/// An ESPHome Bluetooth proxy: a host on the air, whose advertisements and connections clients such as Home Assistant use
/// over TCP.
///
/// It listens, and has a `ProxySession` for each client. What sessions share is here: the scan, which runs while a client
/// is subscribed, and whose advertisements are sent to all subscribers in batches; and the connection slots. Proxy and
/// sessions live on one event loop, so that a change reaches the clients in its order.
package actor BluetoothProxy {
    /// The settings of a proxy.
    package struct Settings: Hashable, Sendable {
        /// The name, for people; the name of the node follows from it.
        package var name: String
        /// The address to listen on.
        package var host: String
        /// The port to listen on; 0 picks a free port.
        package var port: Int
        /// The key; `nil` for connections that are not encrypted, which are possible on this machine only.
        package var key: EncryptionKey?
        /// The number of connections to devices at once.
        package var slots: Int
        /// Whether it scans actively, until a client changes that.
        package var scansActively: Bool
        /// The time within which a client must greet.
        var greetingTime = Duration.seconds(5)

        /// Settings; by default with the three connections of a proxy on an ESP32, and active scanning.
        package init(
            name: String, host: String, port: Int, key: EncryptionKey? = nil, slots: Int = 3,
            scansActively: Bool = true
        ) {
            self.name = name
            self.host = host
            self.port = port
            self.key = key
            self.slots = slots
            self.scansActively = scansActively
        }
    }

    /// What a proxy reports to its run.
    package enum Report: Hashable, Sendable {
        /// A client, as a host on the air.
        case host(HostEvent)
        /// A problem.
        case warning(Warning)
    }

    /// The most clients at once that have greeted, as of a proxy on an ESP32. With a key, only a client that has it can
    /// greet.
    package static let sessionLimit = 8
    /// The most clients at once that have not greeted: one more ends the session of the oldest one.
    static let strangerLimit = 64
    /// The size of the system's buffer for a client, in bytes: what a client that stops reading still gets.
    private static let sendBuffer: ChannelOptions.Types.SocketOption.Value = 65_536
    /// The longest time that an advertisement waits for others.
    private static let batchPeriod = TimeAmount.milliseconds(100)

    /// The settings.
    nonisolated let settings: Settings
    /// The event loop of the proxy and its sessions.
    nonisolated let loop: any EventLoop
    private nonisolated let report: @Sendable (Report) -> Void
    private let host: any CentralRadio
    /// Set by `start()`.
    private var identity: ProxyIdentity?
    private var server: (any Channel)?
    private var sessions: [Int: ProxySession] = [:]
    /// The sessions whose clients have not greeted, and those whose clients have.
    private var strangers: Set<Int> = []
    private var clients: Set<Int> = []
    /// What serves the sessions, until their ends.
    private var serving: [Int: Task<Void, Never>] = [:]
    private var isClosed = false
    private var lastSession = 0

    /// The sessions that get advertisements.
    private var subscribers: Set<Int> = []
    private var isActive: Bool
    /// Whether the scan that runs is active; `nil` without one.
    private var runningScan: Bool?
    private var scan: Task<Void, Never>?
    private var isAdapting = false
    /// The sessions that get the state of the scan when it is as needed.
    private var stateReaders: Set<Int> = []
    private var batch = AdvertisementBatch()
    private var flush: Scheduled<Void>?
    private var hasWarnedOfExtended = false

    /// The devices that are connected, or being connected, with their sessions.
    private var slots: [UInt64: Int] = [:]
    /// The sessions that get the number of free slots.
    private var slotObservers: Set<Int> = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// A proxy that does not listen yet.
    /// - Parameters:
    ///   - host: its host on the air, which it alone uses from now on.
    ///   - report: called with what happens.
    package init(_ settings: Settings, host: any CentralRadio, report: @escaping @Sendable (Report) -> Void) {
        self.settings = settings
        self.host = host
        self.report = report
        isActive = settings.scansActively
        loop = MultiThreadedEventLoopGroup.singleton.next()
    }

    // MARK: - Start and end

    /// Listens for clients.
    /// - Returns: the address: `127.0.0.1:6053`.
    /// - Throws: `RadioError` `.cannotServe` if the port is in use, or if the address is reachable from other machines and
    ///   there is no key.
    package func start() async throws(RadioError) -> String {
        let address = try await host.openCentral(waits: false).address ?? .zero
        identity = ProxyIdentity(name: settings.name, address: address, isEncrypted: settings.key != nil)
        let channel = try await bind()
        guard let place = channel.localAddress.flatMap(HostAndPort.init) else {
            throw cannotListen("the socket has no address")
        }
        guard place.isLoopback || settings.key != nil else {
            try? await channel.close().get()
            throw RadioError(
                .cannotServe,
                "the proxy \(settings.name) would be open to other machines at \(place) without a key",
                hint: "give it one (--esphome-key-file FILE), or listen on 127.0.0.1")
        }
        server = channel
        return "\(place)"
    }

    private func bind() async throws(RadioError) -> any Channel {
        do {
            return try await ServerBootstrap.accepting(on: loop)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
                .childChannelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let connection = try ProxySession.Connection(wrappingChannelSynchronously: channel)
                        // Clients have the loop of the server, which is the executor of this actor.
                        assumeIsolated { $0.accept(connection) }
                    }
                }
                .bind(host: settings.host, port: settings.port).get()
        } catch {
            throw cannotListen(SystemErrorText.words(error))
        }
    }

    private func cannotListen(_ reason: String) -> RadioError {
        RadioError(
            .cannotServe, "the proxy \(settings.name) cannot listen on \(settings.host):\(settings.port): \(reason)",
            hint: "stop the program that uses the port, or choose another (--esphome 127.0.0.1:0 takes a free one)")
    }

    /// Ends all sessions, and stops listening.
    package func close() async {
        guard !isClosed else { return }
        isClosed = true
        try? await server?.close().get()
        scan?.cancel()
        for session in sessions.values { await session.shutDown() }
        await host.close()
        for task in serving.values { await task.value }
    }

    // MARK: - Clients

    private func accept(_ connection: ProxySession.Connection) {
        guard let identity, !isClosed else {
            Task { await ProxySession.discard(connection) }
            return
        }
        let peer = connection.channel.peerText
        if strangers.count >= Self.strangerLimit, let oldest = strangers.min() {
            strangers.remove(oldest)
            sessions[oldest]?.assumeIsolated { $0.makeRoom() }
        }
        lastSession += 1
        let number = lastSession
        strangers.insert(number)
        let session = ProxySession(number, peer: peer, of: self, identity, host: host, channel: connection.channel)
        sessions[number] = session
        serving[number] = Task {
            await session.serve(connection)
            sessions[number] = nil
            strangers.remove(number)
            clients.remove(number)
            serving[number] = nil
            unsubscribe(number)
            slotObservers.remove(number)
        }
    }

    /// Admits a session whose client has greeted.
    /// - Returns: whether there is a place for it.
    nonisolated func admit(_ session: Int) -> Bool {
        assumeIsolated { proxy in
            proxy.strangers.remove(session)
            guard proxy.clients.count < Self.sessionLimit else { return false }
            proxy.clients.insert(session)
            return true
        }
    }

    /// Reports an event of a client.
    nonisolated func post(_ action: HostEvent.Action, _ peer: String) {
        assumeIsolated { proxy in
            proxy.report(
                .host(
                    HostEvent(
                        action, name: proxy.settings.name, transport: "esphome:\(proxy.place)", peer: peer,
                        address: proxy.identity?.address ?? .zero)))
        }
    }

    /// Reports a problem.
    nonisolated func warn(_ warning: Warning) { report(.warning(warning)) }

    private var place: String {
        server?.localAddress.flatMap(HostAndPort.init).map { "\($0)" } ?? "\(settings.host):\(settings.port)"
    }

    // MARK: - Scanning

    /// The state of the scanner.
    var scannerState: ServerMessage {
        .scannerState(
            runningScan != nil ? .running : .idle, isActive: isActive, isActiveByDefault: settings.scansActively)
    }

    /// Sends advertisements to a session from now on; when the scan runs, the session gets its state.
    func subscribe(_ session: Int) {
        subscribers.insert(session)
        adaptScan(reportingTo: [session])
    }

    /// Sends no more advertisements to a session.
    func unsubscribe(_ session: Int) {
        guard subscribers.remove(session) != nil, subscribers.isEmpty else { return }
        sendBatch()
        adaptScan(reportingTo: [])
    }

    /// Scans actively or passively from now on; the subscribers get the state of the scan.
    func setScanning(isActive: Bool) {
        self.isActive = isActive
        adaptScan(reportingTo: subscribers)
    }

    /// The scan that the subscribers need: active or passive; `nil` for none.
    private var neededScan: Bool? { subscribers.isEmpty ? nil : isActive }

    /// Starts, changes or ends the scan, one step after the other until it is as needed; then these sessions get its state.
    private func adaptScan(reportingTo sessions: Set<Int>) {
        stateReaders.formUnion(sessions)
        guard !isAdapting else { return }
        isAdapting = true
        Task {
            while !isClosed, neededScan != runningScan {
                guard await takeStep(to: neededScan) else { break }
            }
            isAdapting = false
            send(scannerState, to: stateReaders)
            stateReaders = []
        }
    }

    /// Starts a scan, in place of the former one; or ends it.
    /// - Returns: whether that succeeded.
    private func takeStep(to isActive: Bool?) async -> Bool {
        guard let isActive else {
            endScan()
            await host.stopScanning()
            return true
        }
        do throws(RadioError) {
            let sightings = try await host.scan(ScanParameters(isActive: isActive))
            endScan()
            runningScan = isActive
            scan = Task { for await sighting in sightings { take(sighting) } }
            return true
        } catch {
            guard !isClosed else { return false }
            warn(Warning(code: "esphome-no-scan", message: "\(settings.name): \(error.message)", hint: error.hint))
            return false
        }
    }

    private func endScan() {
        scan?.cancel()
        scan = nil
        runningScan = nil
    }

    private func take(_ sighting: Sighting) {
        guard let entry = AdvertisementBatch.Entry(sighting) else { return warnOfExtended(sighting) }
        if batch.append(entry) { return sendBatch() }
        guard flush == nil else { return }
        flush = loop.scheduleTask(in: Self.batchPeriod) { self.assumeIsolated { $0.sendBatch() } }
    }

    private func sendBatch() {
        flush?.cancel()
        flush = nil
        guard !batch.isEmpty else { return }
        let body = ServerMessage.advertisements(batch.take()).body
        for session in subscribers { sessions[session]?.assumeIsolated { $0.sendAdvertisements(body) } }
    }

    private func warnOfExtended(_ sighting: Sighting) {
        guard !hasWarnedOfExtended else { return }
        hasWarnedOfExtended = true
        warn(
            Warning(
                code: "esphome-extended",
                message: "\(settings.name) does not pass on extended advertisements, such as the advertisement of "
                    + "\(sighting.device.address): an ESPHome proxy receives legacy advertisements only",
                hint: "give the beacon a legacy PDU, or receive it with another host"))
    }

    // MARK: - Connection slots

    /// Reserves a slot for a device; `false` if none is free, or a session has the device.
    func takeSlot(for device: UInt64, _ session: Int) -> Bool {
        guard slots.count < settings.slots, slots[device] == nil else { return false }
        slots[device] = session
        reportSlots()
        return true
    }

    /// Frees the slot of a device.
    func freeSlot(of device: UInt64) {
        guard slots.removeValue(forKey: device) != nil else { return }
        reportSlots()
    }

    /// Sends the number of free slots to a session, now and at each change.
    func observeSlots(_ session: Int) {
        slotObservers.insert(session)
        send(slotMessage, to: [session])
    }

    private var slotMessage: ServerMessage {
        .connectionsFree(free: settings.slots - slots.count, limit: settings.slots, allocated: slots.keys.sorted())
    }

    private func reportSlots() { send(slotMessage, to: slotObservers) }

    private func send(_ message: ServerMessage, to numbers: Set<Int>) {
        for number in numbers { sessions[number]?.assumeIsolated { $0.send(message) } }
    }
}
