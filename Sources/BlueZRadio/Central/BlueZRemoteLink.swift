// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import DBus
import Dispatch
import Radio
import Synchronization

/// A connection of bluetoothd's whose peer's attributes are used: one that it made for us, or one to a beacon.
///
/// bluetoothd discovers the attributes by itself; what is asked for here is what it found, as it is now.
final class BlueZRemoteLink: PairingLink, SecuringLink, ServingLink {
    let device: RemoteAddress
    let notifications: AsyncStream<RemoteNotification>
    let path: ObjectPath
    let attachment: BlueZCentral.Attachment
    let calls = LinkCalls()
    let serving = ServedConversation()
    private let notification: AsyncStream<RemoteNotification>.Continuation
    let owner: any LinkOwner
    private let state: Mutex<State>
    /// Values come on one queue, whatever sockets they come from.
    private let queue = DispatchQueue(label: "BlueZRemoteLink")

    private struct State {
        var database: RemoteDatabase
        /// Characteristics whose values are told, by value handle.
        var told: [AttributeHandle: Telling] = [:]
        /// What bluetoothd says of why it ended.
        var reason = ""
    }

    /// How the values of a characteristic come.
    private enum Telling {
        case socket(NotificationSocket)
        case signals
        /// Service Changed, told when bluetoothd has discovered what changed.
        case services
    }

    init(
        _ device: RemoteAddress, _ path: ObjectPath, on attachment: BlueZCentral.Attachment, database: RemoteDatabase,
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
            throw .impossible("bluetoothd tells the size of packets with characteristics, and the device has none")
        }
        let reply = try await call(
            characteristic, "org.freedesktop.DBus.Properties", "Get",
            [.string(RemoteDatabase.characteristicInterface), "MTU"])
        guard let octets = reply.first?.unwrapped.uint16Value else {
            throw .impossible("this bluetoothd does not tell the size of packets")
        }
        return Int(octets)
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
        guard let value = reply.first?.bytesValue else { throw .impossible("bluetoothd answered without a value") }
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

    var served: AsyncStream<ServedEvent> { serving.events }

    func respond(to request: ServedRequest, _ response: AttributeResponse) async { serving.answer(request, response) }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async throws(RemoteError) {
        if let end = calls.end { throw .disconnected(end) }
        guard await owner.notify(value, of: characteristic) else {
            throw .impossible("the device does not want to be told of it")
        }
    }

    func disconnect() async {
        note(reason: "this side ended it")
        // It answers when the connection is gone, 2 s later; one that is gone already is what is wanted.
        _ = try? await send(path, DeviceProperties.interface, "Disconnect", timeout: .seconds(10))
        await owner.drop(self)
    }

    func waitForEnd() async -> String { await calls.waitForEnd() }

    func secure() async throws(RemoteError) { try await owner.secure(self).get() }

    // MARK: - Calls

    /// bluetoothd begins to discover a central's attributes when that has connected.
    private func waitUntilResolved() async throws(RemoteError) {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let reply = try await call(
                path, "org.freedesktop.DBus.Properties", "GetAll", [.string(DeviceProperties.interface)])
            if DeviceProperties(reply.first?.dictionaryValue ?? [:]).areServicesResolved { return }
            guard ContinuousClock.now < deadline, !Task.isCancelled else {
                throw .impossible(
                    "bluetoothd did not discover the device's services; see ReverseServiceDiscovery in its main.conf")
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func place(of attribute: AttributeHandle) throws(RemoteError) -> RemoteDatabase.Place {
        if let end = calls.end { throw .disconnected(end) }
        guard let place = state.withLock({ $0.database.place(of: attribute) }) else {
            throw .impossible("bluetoothd knows no value with the handle \(attribute)")
        }
        return place
    }

    /// Calls the daemon, again while it is busy with another call of the same kind.
    private func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
    ) async throws(RemoteError) -> [DBusValue] {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let result = try await send(path, interface, member, arguments, timeout: Self.patience)
            switch result {
            case .success(let reply): return reply
            case .failure(let error):
                guard error.isDaemons("InProgress"), ContinuousClock.now < deadline, !Task.isCancelled else {
                    throw await explained(error)
                }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Calls the daemon once.
    func send(
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

    /// Longer than the 30 s that a device may take to answer (Core 5.4, Vol 3, Part F, 3.3.3).
    private static let patience = Duration.seconds(40)

    /// What an error means, after a look at whether the connection is still there.
    private func explained(_ error: DBusError) async -> RemoteError {
        await owner.check(path)
        if let end = calls.end { return .disconnected(end) }
        return RemoteError(error)
    }

    // MARK: - What the radio tells

    /// Notes bluetoothd's reason for the end that follows.
    func note(reason: String) {
        state.withLock { $0.reason = reason }
    }

    /// Takes a value that bluetoothd signals of a characteristic.
    func take(_ value: [UInt8], from characteristic: ObjectPath) {
        let handle: AttributeHandle? = state.withLock { state in
            guard let handle = state.database.value(at: characteristic), case .signals = state.told[handle] else {
                return nil
            }
            return handle
        }
        if let handle { notification.yield(RemoteNotification(handle: handle, value: value)) }
    }

    /// Takes a primary service that bluetoothd has found, or finds no more, since the services were asked for.
    func noteService(at service: ObjectPath, isThere: Bool) {
        let (handle, sockets) = state.withLock { state -> (AttributeHandle?, [NotificationSocket]) in
            guard state.database.hasService(at: service) != isThere else { return (nil, []) }
            let gone = isThere ? [] : state.database.removeService(at: service)
            let sockets = gone.compactMap { handle -> NotificationSocket? in
                guard case .socket(let socket) = state.told.removeValue(forKey: handle) else { return nil }
                return socket
            }
            let listener = state.told.first { if case .services = $0.value { true } else { false } }
            return (listener?.key, sockets)
        }
        for socket in sockets { socket.close() }
        // All handles: Core 5.4, Vol 3, Part G, 7.1.
        if let handle { notification.yield(RemoteNotification(handle: handle, value: [0x01, 0x00, 0xFF, 0xFF])) }
    }

    /// The connection is gone: everything that waits ends.
    func end(_ reason: String) {
        let (words, told) = state.withLock { state in
            defer { state.told = [:] }
            return (state.reason, state.told)
        }
        for case .socket(let socket) in told.values { socket.close() }
        calls.end(words.isEmpty ? reason : words)
        serving.end()
        notification.finish()
    }
}

// MARK: - Notifications

extension BlueZRemoteLink {
    func setNotifying(_ isNotifying: Bool, for characteristic: RemoteCharacteristic) async throws(RemoteError) {
        let place = try place(of: characteristic.value)
        let telling = state.withLock { $0.told[characteristic.value] }
        switch (isNotifying, telling) {
        case (true, nil): try await startTelling(characteristic, place.path)
        case (false, let telling?): try await stopTelling(telling, characteristic, place.path)
        default: break
        }
    }

    /// By a socket where bluetoothd gives one: its signals tell values that somebody read, too.
    private func startTelling(_ characteristic: RemoteCharacteristic, _ path: ObjectPath) async throws(RemoteError) {
        let handle = characteristic.value
        if characteristic.uuid == .serviceChanged {
            // bluetoothd has asked for it itself. What it found is told: when the device tells, it has yet to look.
            state.withLock { $0.told[handle] = .services }
        } else if characteristic.properties.contains(.notify), let descriptor = await acquire(path) {
            let socket = NotificationSocket(descriptor, queue: queue) { [notification] value in
                notification.yield(RemoteNotification(handle: handle, value: value))
            }
            state.withLock { $0.told[handle] = .socket(socket) }
        } else {
            // Before the call, since the first value may come before its answer.
            state.withLock { $0.told[handle] = .signals }
            do throws(RemoteError) {
                _ = try await call(path, RemoteDatabase.characteristicInterface, "StartNotify")
            } catch {
                state.withLock { $0.told[handle] = nil }
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

    private func stopTelling(
        _ telling: Telling, _ characteristic: RemoteCharacteristic, _ path: ObjectPath
    ) async throws(RemoteError) {
        state.withLock { $0.told[characteristic.value] = nil }
        switch telling {
        case .services: break
        case .signals: _ = try await call(path, RemoteDatabase.characteristicInterface, "StopNotify")
        case .socket(let socket):
            socket.close()
            try await waitUntilReleased(path)
        }
    }

    /// bluetoothd notices that a socket was closed a little later, and until then gives no other one.
    private func waitUntilReleased(_ path: ObjectPath) async throws(RemoteError) {
        for _ in 0..<40 {
            let reply = try await call(
                path, "org.freedesktop.DBus.Properties", "GetAll",
                [.string(RemoteDatabase.characteristicInterface)])
            guard reply.first?.dictionaryValue?["NotifyAcquired"]?.boolValue == true else { return }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}
