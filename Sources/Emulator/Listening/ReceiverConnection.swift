// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import JSON
import Radio

/// A connection of a listening receiver: the attributes of its device, and the clients that follow their values.
///
/// Attributes are discovered with the first request that needs them. A characteristic is subscribed while at least one client
/// follows it; subscriptions are written one after the other. When the device refuses a request because the connection is
/// not encrypted, the receiver encrypts it and repeats the request. Without a bond it pairs, as a phone does whose user accepts,
/// for a write and where `allowPairing` was called.
package actor ReceiverConnection {
    /// The name of a characteristic in the profile of its beacon; `nil` if it has none.
    typealias Naming = @Sendable (CharacteristicIdentifier) -> String?

    /// A value that a client may get, or the end of a subscription.
    private struct Value: Sendable {
        let characteristic: AttributeHandle
        /// As JSON, made once for all clients; `nil` for the end of the streams that have subscribed to the characteristic.
        let line: String?
    }

    /// What was discovered.
    private struct Attributes: Sendable {
        var services: [ServiceRecord] = []
        var characteristics: [RemoteCharacteristic] = []
    }

    /// The limit of the time of a discovery, in the time of the run; each request has the limit of ATT besides. A device can have
    /// 65,535 attributes, which takes hours.
    package static let discoveryLimit = Duration.seconds(60)

    private typealias Discovery = Task<Result<Attributes, EmulatorError>, Never>

    /// The connection, as clients get it.
    package nonisolated let record: ConnectionRecord
    /// The device.
    nonisolated let device: RemoteAddress
    private nonisolated let values = Broadcast<Value>(capacity: ReceptionStreams.capacity)
    private nonisolated let executor: ActorExecutor
    private let link: any RemoteLink
    private let name: Naming
    /// The clock of the run.
    private let clock: RunClock
    /// The discovery that has begun, has succeeded, or has reached the limit of its time.
    private var discovery: Discovery?
    /// The types of characteristics by their value handles, as far as they were discovered.
    private var types: [AttributeHandle: BluetoothUUID] = [:]
    /// The clients that follow each characteristic, by their numbers; no entry for none.
    private var followers: [AttributeHandle: Set<Int>] = [:]
    private var lastFollower = 0
    private var subscribed: Set<AttributeHandle> = []
    /// The latest change of a subscription; the next one waits for it.
    private var lastChange: Task<EmulatorError?, Never>?
    /// Whether each request may pair.
    private var mayPair = false
    /// The pairing that has begun, or has succeeded.
    private var pairing: Task<PairingError?, Never>?

    /// A connection that is established.
    init(
        _ link: any RemoteLink, _ record: ConnectionRecord, _ executor: ActorExecutor,
        clock: RunClock, name: @escaping Naming
    ) {
        self.link = link
        self.record = record
        self.executor = executor
        self.clock = clock
        self.name = name
        device = link.device
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    // MARK: - Its end

    /// Passes on the values that the device sends, and returns when the connection has ended.
    func receive() async {
        for await notification in link.notifications { take(notification) }
    }

    /// Ends the streams of clients.
    func finish() { values.finish() }

    /// Ends the connection, and returns when it has ended.
    func disconnect() async { await link.disconnect() }

    // MARK: - Attributes

    /// The primary services with their characteristics and descriptors.
    /// - Throws: `EmulatorError` `.conflict` if the connection has ended, `.refusedAttribute`, `.radio`.
    package func services() async throws(EmulatorError) -> [ServiceRecord] { try await attributes().services }

    /// Reads the value of a characteristic.
    /// - Throws: `EmulatorError` `.unknownCharacteristic`, `.badProfile` if several characteristics have the type; as `services`.
    package func read(_ reference: CharacteristicReference) async throws(EmulatorError) -> ValueRecord {
        let found = try await characteristic(reference)
        let value = try await perform { link throws(RemoteError) in try await link.read(found.value) }
        return ValueRecord(found.value, found.uuid, value)
    }

    /// Writes the value of a characteristic.
    /// - Parameter needsResponse: whether the device acknowledges it; else it has to fit into one packet.
    /// - Throws: as `read`.
    package func write(
        _ value: [UInt8], to reference: CharacteristicReference, needsResponse: Bool = true
    ) async throws(EmulatorError) {
        let found = try await characteristic(reference).value
        try await perform(mayPair: true) { link throws(RemoteError) in
            if needsResponse {
                try await link.write(value, to: found)
            } else {
                try await link.writeWithoutResponse(value, to: found)
            }
        }
    }

    private func characteristic(
        _ reference: CharacteristicReference
    ) async throws(EmulatorError) -> RemoteCharacteristic {
        try reference.find(among: try await attributes().characteristics, of: device)
    }

    private func attributes() async throws(EmulatorError) -> Attributes {
        let discovery = discovery ?? limitedDiscovery()
        self.discovery = discovery
        return try await discovery.value.get()
    }

    /// A discovery that fails when it takes longer than the limit. What has begun then ends with the connection only, so later
    /// requests fail at once.
    private func limitedDiscovery() -> Discovery {
        let (results, result) = AsyncStream<Result<Attributes, EmulatorError>>.makeStream()
        let limit = Task {
            guard await clock.sleep(for: Self.discoveryLimit) else { return }
            result.yield(.failure(takesTooLong))
        }
        Task {
            result.yield(await self.discover())
            limit.cancel()
        }
        return Task {
            for await first in results { return first }
            return .failure(takesTooLong)
        }
    }

    private nonisolated var takesTooLong: EmulatorError {
        EmulatorError(
            .radio,
            "the discovery of the attributes of \(device.address) takes more than "
                + "\(Self.discoveryLimit.components.seconds) s",
            hint: "disconnect the receiver from it: the device has very many attributes, or answers very slowly")
    }

    private func discover() async -> Result<Attributes, EmulatorError> {
        do throws(EmulatorError) {
            let attributes = try await discoverAll()
            for each in attributes.characteristics { types[each.value] = each.uuid }
            return .success(attributes)
        } catch {
            // The next request tries it again.
            discovery = nil
            return .failure(error)
        }
    }

    private func discoverAll() async throws(EmulatorError) -> Attributes {
        var found = Attributes()
        var counts: [BluetoothUUID: Int] = [:]
        for service in try await perform({ link throws(RemoteError) in try await link.discoverServices(nil) }) {
            var records: [CharacteristicRecord] = []
            for each in try await perform({ link throws(RemoteError) in
                try await link.discoverCharacteristics(of: service)
            }) {
                let descriptors = try await perform { link throws(RemoteError) in
                    try await link.discoverDescriptors(of: each)
                }
                let identifier = CharacteristicIdentifier(each.uuid, occurrence: counts[each.uuid, default: 0])
                counts[each.uuid, default: 0] += 1
                records.append(CharacteristicRecord(each, name: name(identifier), descriptors))
                found.characteristics.append(each)
            }
            found.services.append(ServiceRecord(service, records))
        }
        return found
    }

    /// Lets each request pair from now on, also those that only read.
    func allowPairing() { mayPair = true }

    /// Performs a request, and repeats it once the connection is encrypted if the device requires that.
    private func perform<Result: Sendable>(
        mayPair: Bool = false, _ request: @Sendable (any RemoteLink) async throws(RemoteError) -> Result
    ) async throws(EmulatorError) -> Result {
        do throws(RemoteError) {
            return try await request(link)
        } catch {
            switch error {
            case .refused(.insufficientAuthentication), .refused(.insufficientEncryption):
                guard let link = link as? any PairingLink else { throw EmulatorError(error, of: device) }
                try await requireKeys(mayPair: mayPair)
                do throws(RemoteError) {
                    try await encrypt(link)
                    return try await request(link)
                } catch {
                    throw EmulatorError(error, of: device)
                }
            default: throw EmulatorError(error, of: device)
            }
        }
    }

    /// - Throws: `EmulatorError` `.conflict` if there is no bond, and a request may not pair.
    private func requireKeys(mayPair: Bool) async throws(EmulatorError) {
        if self.mayPair || mayPair || pairing != nil { return }
        if await (link as? any BondedLink)?.isBonded == true { return }
        throw EmulatorError(
            .conflict, "\(device.address) requires encryption, and the receiver is not paired with it",
            hint:
                "connect with \"pair\": true, or beaconry ctl receiver connect --pair, so that requests that read may pair"
        )
    }

    private func encrypt(_ link: any PairingLink) async throws(RemoteError) {
        let pairing =
            pairing
            ?? Task {
                do throws(PairingError) {
                    let settings = PairingSettings(inputOutput: .displayYesNo, comparison: .accept)
                    _ = try await link.pair(settings) { _ in .cancel }
                    return nil
                } catch {
                    return error
                }
            }
        self.pairing = pairing
        guard let error = await pairing.value else { return }
        self.pairing = nil
        throw .notPaired(error)
    }

    // MARK: - Values that the device sends

    /// The values of a characteristic that the device sends from now on, as JSON. While the sequence exists, the characteristic
    /// is subscribed.
    /// - Parameter reference: `nil` for the values of all characteristics, without a subscription.
    /// - Throws: `EmulatorError` `.badProfile` also for a characteristic that neither notifies nor indicates; as `read`.
    package func notifications(
        of reference: CharacteristicReference?
    ) async throws(EmulatorError) -> any AsyncSequence<String, Never> & Sendable {
        // It begins before the subscription, so that it has the first value.
        let values = values.stream()
        guard let reference else { return values.compactMap { $0.line(\.line) } }
        let characteristic = try await characteristic(reference)
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw EmulatorError(
                .badProfile, "the characteristic \(reference.text) of \(device.address) neither notifies nor indicates",
                hint: "read it instead")
        }
        let follower = try await follow(characteristic)
        return values.prefix { item in
            // The sequence owns the follower, which ends with it.
            _ = follower
            guard case .element(let value) = item, value.line == nil else { return true }
            return value.characteristic != characteristic.value
        }.compactMap { item in
            if case .element(let value) = item, value.characteristic != characteristic.value { return nil }
            return item.line(\.line)
        }
    }

    /// Ends the subscription to a characteristic, and the streams of the clients that follow it.
    /// - Throws: as `read`.
    package func unsubscribe(from reference: CharacteristicReference) async throws(EmulatorError) {
        let characteristic = try await characteristic(reference)
        followers[characteristic.value] = nil
        values.send(Value(characteristic: characteristic.value, line: nil))
        if let error = await settle(characteristic) { throw error }
    }

    private func take(_ notification: RemoteNotification) {
        let type = types[notification.handle]
        // Attributes have other handles from now on (Core 5.4, Vol 3, Part G, 7.1).
        if type == .serviceChanged { discovery = nil }
        guard values.hasReaders else { return }
        let record = ValueRecord(notification.handle, type, notification.value)
        values.send(Value(characteristic: notification.handle, line: JSONLine.encode(record)))
    }

    private func follow(_ characteristic: RemoteCharacteristic) async throws(EmulatorError) -> Follower {
        lastFollower += 1
        let number = lastFollower
        followers[characteristic.value, default: []].insert(number)
        if let error = await settle(characteristic) {
            release(number, characteristic.value)
            throw error
        }
        return Follower { [weak self] in
            Task { await self?.unfollow(number, characteristic) }
        }
    }

    private func unfollow(_ number: Int, _ characteristic: RemoteCharacteristic) async {
        release(number, characteristic.value)
        _ = await settle(characteristic)
    }

    private func release(_ number: Int, _ handle: AttributeHandle) {
        followers[handle]?.remove(number)
        if followers[handle]?.isEmpty == true { followers[handle] = nil }
    }

    /// Subscribes to a characteristic, or ends the subscription, as its followers require.
    /// - Returns: the error; `nil` on success.
    private func settle(_ characteristic: RemoteCharacteristic) async -> EmulatorError? {
        let former = lastChange
        let change = Task {
            _ = await former?.value
            return await self.subscribe(characteristic)
        }
        lastChange = change
        return await change.value
    }

    private func subscribe(_ characteristic: RemoteCharacteristic) async -> EmulatorError? {
        let handle = characteristic.value
        let isWanted = followers[handle] != nil
        guard isWanted != subscribed.contains(handle) else { return nil }
        do throws(EmulatorError) {
            try await perform { link throws(RemoteError) in try await link.setNotifying(isWanted, for: characteristic) }
        } catch {
            return error
        }
        if isWanted { subscribed.insert(handle) } else { subscribed.remove(handle) }
        return nil
    }

    /// A client that follows a characteristic, until it is released.
    private final class Follower: Sendable {
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }
}
