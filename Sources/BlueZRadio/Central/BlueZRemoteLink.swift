// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Dispatch
import Radio
import Synchronization

/// The radio that owns a link.
protocol LinkOwner: Sendable {
    /// Changes of objects of bluetoothd.
    var changes: DeviceChanges { get }
    /// Ends the link to a device if bluetoothd reports that the device is not connected.
    func check(_ path: ObjectPath) async
    /// Forgets a link that this side ended.
    func drop(_ link: BlueZRemoteLink) async
    /// Has the central of a link encrypt it.
    func secure(_ link: BlueZRemoteLink) async -> Result<Void, RemoteError>
    /// Answers bluetoothd's pairing requests by a function while a link pairs; `nil` ends that.
    /// - Returns: `false` if the radio has no agent on the bus.
    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) async -> Bool
    /// Has bluetoothd notify the value of a served characteristic.
    /// - Returns: whether a device is subscribed to it.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async -> Bool
}

/// A connection of bluetoothd through which the attributes of its peer are used: to a device that a `BlueZCentral`
/// connected to, or to a central that connected to a beacon of a `BlueZRadio`.
///
/// bluetoothd discovers the attributes by itself; the discovery methods return what it has found so far.
final class BlueZRemoteLink: BondedLink, SecuringLink, ServingLink {
    let device: RemoteAddress
    let notifications: AsyncStream<RemoteNotification>
    let path: ObjectPath
    /// The requests and subscriptions of the device for attributes that this side serves.
    let conversation = ServedConversation()
    private let attachment: AdapterAttachment
    private let calls = LinkCalls()
    private let notification: AsyncStream<RemoteNotification>.Continuation
    private let owner: any LinkOwner
    private let state: Mutex<State>
    /// One queue for the sockets of all characteristics, so that values keep their order.
    private let queue = DispatchQueue(label: "BlueZRemoteLink")

    private struct State {
        var database: RemoteDatabase
        /// The subscribed characteristics, by value handle.
        var sources: [AttributeHandle: ValueSource] = [:]
        /// bluetoothd's reason for the end of the connection.
        var reason = ""
    }

    /// Where the values of a subscribed characteristic come from.
    private enum ValueSource {
        /// The socket of AcquireNotify.
        case socket(NotificationSocket)
        /// The PropertiesChanged signals of StartNotify.
        case signals
        /// Service Changed: reported once bluetoothd has discovered what changed.
        case services
    }

    init(
        _ device: RemoteAddress, _ path: ObjectPath, on attachment: AdapterAttachment, database: RemoteDatabase,
        owner: any LinkOwner
    ) {
        self.device = device
        self.path = path
        self.attachment = attachment
        self.owner = owner
        state = Mutex(State(database: database))
        (notifications, notification) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
    }

    func maximumTransmissionUnit() async throws(RemoteError) -> Int {
        guard let characteristic = state.withLock({ $0.database.anyCharacteristic }) else {
            throw .impossible("bluetoothd reports the MTU as a property of characteristics, and the device has none")
        }
        let reply = try await call(
            characteristic, "org.freedesktop.DBus.Properties", "Get",
            [.string(RemoteDatabase.characteristicInterface), "MTU"])
        guard let bytes = reply.first?.unwrapped.uint16Value else {
            throw .impossible("this bluetoothd does not report the MTU")
        }
        return Int(bytes)
    }

    func readRSSI() async throws(RemoteError) -> RSSI {
        if let end = calls.end { throw .disconnected(end) }
        return try await KernelConnection(index: attachment.adapter.index, device: device).readRSSI()
    }

    func discoverServices(_ types: [BluetoothUUID]?) async throws(RemoteError) -> [RemoteService] {
        try await waitUntilResolved()
        let reply = try await call(.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        let database = RemoteDatabase(of: path, in: reply.first?.entriesValue ?? [])
        state.withLock { $0.database = database }
        guard let types else { return database.services }
        return database.services.filter { types.contains($0.uuid) }
    }

    func discoverCharacteristics(of service: RemoteService) async throws(RemoteError) -> [RemoteCharacteristic] {
        if let end = calls.end { throw .disconnected(end) }
        return state.withLock { $0.database.characteristics(of: service) }
    }

    func discoverDescriptors(of characteristic: RemoteCharacteristic) async throws(RemoteError) -> [RemoteDescriptor] {
        if let end = calls.end { throw .disconnected(end) }
        return state.withLock { $0.database.descriptors(of: characteristic) }
    }

    func read(_ attribute: AttributeHandle) async throws(RemoteError) -> [UInt8] {
        let place = try place(of: attribute)
        let reply = try await call(place.path, place.interface, "ReadValue", [.variants([:])])
        guard let value = reply.first?.bytesValue else { throw .impossible("bluetoothd replied without a value") }
        return value
    }

    func write(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError) {
        let place = try place(of: attribute)
        let isCharacteristic = place.interface == RemoteDatabase.characteristicInterface
        let options: [String: DBusValue] = isCharacteristic ? ["type": "request"] : [:]
        _ = try await call(place.path, place.interface, "WriteValue", [.bytes(value), .variants(options)])
    }

    func writeWithoutResponse(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError) {
        let place = try place(of: attribute)
        guard place.interface == RemoteDatabase.characteristicInterface else {
            throw .impossible("bluetoothd writes descriptors with a response only")
        }
        _ = try await call(place.path, place.interface, "WriteValue", [.bytes(value), .variants(["type": "command"])])
    }

    var served: AsyncStream<ServedEvent> { conversation.events }

    func respond(to request: ServedRequest, _ response: AttributeResponse) async {
        conversation.answer(request, response)
    }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async throws(RemoteError) {
        if let end = calls.end { throw .disconnected(end) }
        guard await owner.notify(value, of: characteristic) else {
            throw .impossible("the device is not subscribed to it")
        }
    }

    func disconnect() async {
        note(reason: "this side ended it")
        // bluetoothd replies when the connection has ended, 2 s later. An error means that it had ended already.
        _ = try? await send(path, DeviceProperties.interface, "Disconnect", timeout: .seconds(10))
        await owner.drop(self)
    }

    func waitForEnd() async -> String { await calls.waitForEnd() }

    func secure() async throws(RemoteError) { try await owner.secure(self).get() }

    // MARK: - Calls

    /// bluetoothd starts to discover a central's attributes only when the central has connected.
    private func waitUntilResolved() async throws(RemoteError) {
        let isResolved = try await owner.changes.first(of: path, within: Self.patience) {
            () throws(RemoteError) -> Bool? in
            let reply = try await call(
                path, "org.freedesktop.DBus.Properties", "GetAll", [.string(DeviceProperties.interface)])
            return DeviceProperties(reply.first?.dictionaryValue ?? [:]).areServicesResolved ? true : nil
        }
        guard isResolved == nil else { return }
        throw .impossible(
            "bluetoothd did not discover the device's services; see ReverseServiceDiscovery in its main.conf")
    }

    private func place(of attribute: AttributeHandle) throws(RemoteError) -> RemoteDatabase.Place {
        if let end = calls.end { throw .disconnected(end) }
        guard let place = state.withLock({ $0.database.place(of: attribute) }) else {
            throw .impossible("bluetoothd has no attribute with the handle \(attribute)")
        }
        return place
    }

    /// Calls the daemon, and retries while it is busy with another call of the same kind, of whose end there is no signal.
    private func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) async throws(RemoteError) -> [DBusValue] {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let result = try await send(path, interface, member, arguments, timeout: Self.patience)
            switch result {
            case .success(let reply): return reply
            case .failure(let error):
                guard error.isBlueZ("InProgress"), ContinuousClock.now < deadline, !Task.isCancelled else {
                    throw await explained(error)
                }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Calls the daemon once.
    private func send(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [], timeout: Duration
    ) async throws(RemoteError) -> Result<[DBusValue], DBusError> {
        try await calls.run { [attachment] () async -> Result<[DBusValue], DBusError> in
            do throws(DBusError) {
                return .success(
                    try await attachment.daemon.call(path, interface, member, arguments, timeout: timeout))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The timeout of a call: longer than the 30 s that a device has for its reply (Core 5.4, Vol 3, Part F, 3.3.3).
    private static let patience = Duration.seconds(40)

    /// The meaning of an error, after a check whether the device is still connected.
    ///
    /// bluetoothd answers what is pending on a connection that ends with Unlikely Error, and reports the end some
    /// milliseconds later. A device that replied with this error is still connected then.
    private func explained(_ error: DBusError) async -> RemoteError {
        let meaning = RemoteError(error)
        let time: Duration = meaning == .refused(.unlikely) ? .milliseconds(500) : .zero
        let end = await owner.changes.first(of: path, within: time) {
            await owner.check(path)
            return calls.end
        }
        return end.map { .disconnected($0) } ?? meaning
    }

    // MARK: - Events from the radio

    /// Takes the reason for the end of the connection, which follows.
    func note(reason: String) {
        state.withLock { $0.reason = reason }
    }

    /// Takes the value of a characteristic from a signal.
    func take(_ value: [UInt8], from characteristic: ObjectPath) {
        let handle: AttributeHandle? = state.withLock { state in
            guard let handle = state.database.value(at: characteristic), case .signals = state.sources[handle] else {
                return nil
            }
            return handle
        }
        if let handle { notification.yield(RemoteNotification(handle: handle, value: value)) }
    }

    /// Takes note that bluetoothd has discovered a primary service, or removed one, since the last discovery of services.
    func noteService(at service: ObjectPath, isPresent: Bool) {
        let (handle, sockets) = state.withLock { state -> (AttributeHandle?, [NotificationSocket]) in
            guard state.database.hasService(at: service) != isPresent else { return (nil, []) }
            let gone = isPresent ? [] : state.database.removeService(at: service)
            let sockets = gone.compactMap { handle -> NotificationSocket? in
                guard case .socket(let socket) = state.sources.removeValue(forKey: handle) else { return nil }
                return socket
            }
            let listener = state.sources.first { if case .services = $0.value { true } else { false } }
            return (listener?.key, sockets)
        }
        for socket in sockets { socket.close() }
        // The affected range is all handles (Core 5.4, Vol 3, Part G, 7.1).
        if let handle { notification.yield(RemoteNotification(handle: handle, value: [0x01, 0x00, 0xFF, 0xFF])) }
    }

    /// Ends the link: the connection has ended. Pending calls fail.
    /// - Parameter reason: used if bluetoothd gave none.
    func end(_ reason: String) {
        let (ownReason, sources) = state.withLock { state in
            defer { state.sources = [:] }
            return (state.reason, state.sources)
        }
        for case .socket(let socket) in sources.values { socket.close() }
        calls.end(ownReason.isEmpty ? reason : ownReason)
        conversation.end()
        notification.finish()
        owner.changes.note(path)
    }
}

// MARK: - Notifications

extension BlueZRemoteLink {
    func setNotifying(_ isNotifying: Bool, for characteristic: RemoteCharacteristic) async throws(RemoteError) {
        let place = try place(of: characteristic.value)
        let source = state.withLock { $0.sources[characteristic.value] }
        switch (isNotifying, source) {
        case (true, nil): try await subscribe(to: characteristic, place.path)
        case (false, let source?): try await unsubscribe(from: characteristic, source, place.path)
        default: break
        }
    }

    /// Subscribes through a socket where bluetoothd offers one, since its signals also carry values that were read.
    private func subscribe(to characteristic: RemoteCharacteristic, _ path: ObjectPath) async throws(RemoteError) {
        let handle = characteristic.value
        if characteristic.uuid == .serviceChanged {
            // bluetoothd is subscribed itself, and discovers the services after the indication: `noteService` reports it.
            state.withLock { $0.sources[handle] = .services }
        } else if characteristic.properties.contains(.notify), let descriptor = await acquire(path) {
            let socket = NotificationSocket(descriptor, queue: queue) { [notification] value in
                notification.yield(RemoteNotification(handle: handle, value: value))
            }
            state.withLock { $0.sources[handle] = .socket(socket) }
        } else {
            // Before the call, since the first value may arrive before the reply.
            state.withLock { $0.sources[handle] = .signals }
            do throws(RemoteError) {
                _ = try await call(path, RemoteDatabase.characteristicInterface, "StartNotify")
            } catch {
                state.withLock { $0.sources[handle] = nil }
                throw error
            }
        }
        if let end = calls.end { throw .disconnected(end) }
    }

    private func acquire(_ path: ObjectPath) async -> DBusFileDescriptor? {
        let result = try? await send(
            path, RemoteDatabase.characteristicInterface, "AcquireNotify", [.variants([:])], timeout: Self.patience)
        guard case .success(let reply) = result else { return nil }
        return reply.first?.fileDescriptorValue
    }

    private func unsubscribe(
        from characteristic: RemoteCharacteristic, _ source: ValueSource, _ path: ObjectPath
    ) async throws(RemoteError) {
        state.withLock { $0.sources[characteristic.value] = nil }
        switch source {
        case .services: break
        case .signals: _ = try await call(path, RemoteDatabase.characteristicInterface, "StopNotify")
        case .socket(let socket):
            socket.close()
            try await waitUntilReleased(path)
        }
    }

    /// Waits until bluetoothd has noticed that the socket was closed; until then it offers no other one.
    private func waitUntilReleased(_ path: ObjectPath) async throws(RemoteError) {
        _ = try await owner.changes.first(of: path, within: .seconds(2)) { () throws(RemoteError) -> Bool? in
            let reply = try await call(
                path, "org.freedesktop.DBus.Properties", "GetAll",
                [.string(RemoteDatabase.characteristicInterface)])
            return reply.first?.dictionaryValue?["NotifyAcquired"]?.boolValue == true ? nil : true
        }
    }
}

// MARK: - Pairing

extension BlueZRemoteLink {
    /// Pairs through bluetoothd, which stores the keys and encrypts the link to a paired device by itself.
    func pair(
        _ settings: PairingSettings, answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer
    ) async throws(PairingError) -> LinkProtection {
        let daemon = attachment.daemon
        // BlueZ 5.66 does not reply to Pair for a device that is paired.
        if await isBonded { return LinkProtection(isAuthenticated: nil, keySize: nil) }
        let ask: @Sendable (AgentRequest) async -> PairingAnswer = { await Self.answer($0, settings, answer) }
        let result: Result<Void, PairingError>
        // bluetoothd uses one agent of a client at a time.
        if await owner.answerPairings(by: ask) {
            result = await pairAgain(with: daemon)
            _ = await owner.answerPairings(by: nil)
        } else {
            await ConnectingAgent.agent(daemon).unregister()
            let agent = BlueZAgent(
                daemon: daemon, path: "/org/beaconry/agent/central", settings: settings,
                responder: AgentResponder(owner: daemon.owner, ask: { request, _ in await ask(request) }, cancel: {}))
            do throws(DBusError) {
                try await agent.register(isDefault: false)
            } catch {
                throw PairingError(.unsupported, "bluetoothd takes no agent (\(error))")
            }
            result = await pair(with: daemon)
            await agent.unregister()
        }
        if case .failure(let error) = result { throw error }
        return LinkProtection(isAuthenticated: nil, keySize: nil)
    }

    /// Pairs with a device that may request pairing at the same time; no signal reports that its pairing has failed.
    private func pairAgain(with daemon: BlueZDaemon) async -> Result<Void, PairingError> {
        var attemptsLeft = 150
        while true {
            let result = await pair(with: daemon)
            guard case .failure(let error) = result, calls.end == nil, !Task.isCancelled else { return result }
            if await isBonded { return .success(()) }
            guard error.code == .busy, attemptsLeft > 0 else { return result }
            attemptsLeft -= 1
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Whether bluetoothd is paired with the peer.
    var isBonded: Bool {
        get async {
            let properties = try? await attachment.daemon.properties(DeviceProperties.interface, of: path)
            return properties?["Paired"]?.boolValue == true
        }
    }

    /// The answer to a request of bluetoothd: from the settings, else from the user.
    static func answer(
        _ request: AgentRequest, _ settings: PairingSettings,
        _ answer: @Sendable (PairingQuestion) async -> PairingAnswer
    ) async -> PairingAnswer {
        switch request {
        case .passkey:
            if let passkey = settings.passkey { return .passkey(passkey) }
            return await answer(.passkey)
        case .show(let passkey): return await answer(.showPasskey(passkey))
        case .comparison(let number):
            switch settings.comparison {
            case .accept: return .comparison(true)
            case .reject: return .comparison(false)
            case .ask: return await answer(.comparison(number))
            }
        case .pairing, .service: return .comparison(true)
        }
    }

    private func pair(with daemon: BlueZDaemon) async -> Result<Void, PairingError> {
        await withTaskCancellationHandler {
            do throws(DBusError) {
                // bluetoothd gives up by itself, 30 s after the last packet of the device.
                _ = try await daemon.call(path, DeviceProperties.interface, "Pair", timeout: .seconds(120))
                return .success(())
            } catch {
                if error.isBlueZ("AlreadyExists") { return .success(()) }
                return .failure(PairingError(error))
            }
        } onCancel: {
            Task { [path] in
                _ = try? await daemon.call(path, DeviceProperties.interface, "CancelPairing", timeout: .seconds(5))
            }
        }
    }

    /// Has the central pair, unless it is paired: bluetoothd encrypts the links of paired centrals by itself.
    func pairAsPeripheral() async -> Result<Void, RemoteError> {
        let deadline = ContinuousClock.now + Self.securityTimeout
        while !Task.isCancelled {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { break }
            if await isBonded { return .success(()) }
            switch await requestPairing(within: left) {
            case .success: return .success(())
            case .failure(let error):
                guard case .notPaired(let reason) = error else { return .failure(error) }
                // The central may have started to pair at the same time.
                if await isBonded { return .success(()) }
                guard reason.code == .busy else { return .failure(error) }
            }
            try? await Task.sleep(for: .milliseconds(200))
        }
        return .failure(Self.noAnswer)
    }

    /// The time that a central has to pair: its user may have to confirm.
    private static let securityTimeout = Duration.seconds(30)
    private static let noAnswer = RemoteError.impossible("the central did not answer within \(securityTimeout)")

    /// Requests pairing, until bluetoothd replies or is paired. BlueZ 5.66 does not reply if the central pairs at the same
    /// time.
    private func requestPairing(within time: Duration) async -> Result<Void, RemoteError> {
        await withTaskGroup { group in
            group.addTask { await self.callPair(within: time) }
            group.addTask { await self.waitUntilPaired(within: time) }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(Self.noAnswer)
        }
    }

    private func waitUntilPaired(within time: Duration) async -> Result<Void, RemoteError> {
        let isPaired = await owner.changes.first(of: path, within: time) { await self.isBonded ? true : nil }
        return isPaired == nil ? .failure(Self.noAnswer) : .success(())
    }

    private func callPair(within time: Duration) async -> Result<Void, RemoteError> {
        do throws(RemoteError) {
            switch try await send(path, DeviceProperties.interface, "Pair", timeout: time) {
            case .success: return .success(())
            case .failure(let error) where error.isBlueZ("AlreadyExists"): return .success(())
            case .failure(let error) where error.kind == .timeout: return .failure(Self.noAnswer)
            case .failure(let error): return .failure(.notPaired(PairingError(error)))
            }
        } catch {
            return .failure(error)
        }
    }
}
