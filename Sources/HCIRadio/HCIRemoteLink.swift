// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import HostStack
import Radio
import Synchronization

/// A connection of a radio: one to a device, made as a central, or one of a central to a beacon.
final class HCIRemoteLink: ProcedureLink, BondedLink, EncryptedLink, SecuringLink, ServingLink, UpdatingLink,
    ReasonedLink, CountingLink, IdentifiedLink
{
    let device: RemoteAddress
    let notifications: AsyncStream<RemoteNotification>
    private let notification: AsyncStream<RemoteNotification>.Continuation
    let served: AsyncStream<ServedEvent>
    private let serving: AsyncStream<ServedEvent>.Continuation
    let encryption: AsyncStream<Result<LinkProtection, PairingError>>
    private let encrypting: AsyncStream<Result<LinkProtection, PairingError>>.Continuation
    let host: HostIdentifier
    let connection: ConnectionIdentifier
    let radio: any HostStackRadio
    private let state = Mutex(State())

    private struct State {
        var waiting: [ATTToken: CheckedContinuation<Result<GATTResult, RemoteError>, Never>] = [:]
        var rssi: [CheckedContinuation<Result<RSSI, RemoteError>, Never>] = []
        var ending: [CheckedContinuation<String, Never>] = []
        var securing: [CheckedContinuation<Result<Void, RemoteError>, Never>] = []
        var arrivals = LinkArrivals()
        /// Waits for the first packet of the peer.
        var confirming: CheckedContinuation<Void, Never>?
        var isConfirmed = false
        /// The peer of the bond.
        var identity: RemoteAddress?
        /// The reason of its end; `nil` until then.
        var end: String?
        /// The HCI status of its end, if a controller reported it.
        var code: UInt8?
        var wasEstablished = true
    }

    init(
        _ device: RemoteAddress, _ connection: ConnectionIdentifier, on host: HostIdentifier, radio: any HostStackRadio
    ) {
        self.device = device
        self.host = host
        self.connection = connection
        self.radio = radio
        (notifications, notification) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
        (encryption, encrypting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
        (served, serving) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
    }

    /// Exchanges the MTU, which is done once a connection, and waits for the first packet of the peer: the response, or a
    /// packet that it sends before.
    func confirm() async {
        Task {
            // A peer may refuse the exchange.
            _ = await start(.exchangeMTU)
            noteEstablished()
        }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.end == nil, !state.isConfirmed else { return true }
                state.confirming = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    func maximumTransmissionUnit() async throws(RemoteError) -> Int {
        guard case .mtu(let octets) = try await perform(.exchangeMTU) else { throw Self.mismatch }
        return octets
    }

    func readRSSI() async throws(RemoteError) -> RSSI {
        try await radio.readRSSI(for: self).get()
    }

    func discoverServices(_ types: [BluetoothUUID]?) async throws(RemoteError) -> [RemoteService] {
        guard let types else { return try await discoverServices(by: .discoverPrimaryServices) }
        var found: [RemoteService] = []
        for type in types { found += try await discoverServices(by: .discoverPrimaryServicesByUUID(type)) }
        return found
    }

    func discoverSecondaryServices() async throws(RemoteError) -> [RemoteService] {
        do throws(RemoteError) {
            return try await discoverServices(by: .discoverSecondaryServices)
        } catch .refused(.unsupportedGroupType) {
            return []
        }
    }

    private func discoverServices(by procedure: GATTProcedure) async throws(RemoteError) -> [RemoteService] {
        guard case .services(let services) = try await perform(procedure) else { throw Self.mismatch }
        return services
    }

    func discoverCharacteristics(of service: RemoteService) async throws(RemoteError) -> [RemoteCharacteristic] {
        guard case .characteristics(let found) = try await perform(.discoverCharacteristics(in: service.handles)) else {
            throw Self.mismatch
        }
        return found
    }

    func discoverDescriptors(of characteristic: RemoteCharacteristic) async throws(RemoteError) -> [RemoteDescriptor] {
        guard let handles = characteristic.descriptorHandles else { return [] }
        guard case .descriptors(let found) = try await perform(.discoverDescriptors(in: handles)) else {
            throw Self.mismatch
        }
        return found
    }

    func read(_ attribute: AttributeHandle) async throws(RemoteError) -> [UInt8] {
        guard case .value(let value) = try await perform(.read(attribute)) else { throw Self.mismatch }
        return value
    }

    func discoverIncludedServices(of service: RemoteService) async throws(RemoteError) -> [RemoteService] {
        guard case .inclusions(let found) = try await perform(.findIncludedServices(in: service.handles)) else {
            throw Self.mismatch
        }
        return found.map(\.service)
    }

    func read(_ attribute: AttributeHandle, from offset: UInt16) async throws(RemoteError) -> [UInt8] {
        guard case .value(let value) = try await perform(.readLong(attribute, offset: offset)) else {
            throw Self.mismatch
        }
        return value
    }

    func write(_ value: [UInt8], to attribute: AttributeHandle, from offset: UInt16) async throws(RemoteError) {
        _ = try await perform(.writeLong(attribute, offset: offset, value))
    }

    func write(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError) {
        _ = try await perform(.write(attribute, value))
    }

    func writeWithoutResponse(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError) {
        _ = try await perform(.writeWithoutResponse(attribute, value))
    }

    func setNotifying(_ isNotifying: Bool, for characteristic: RemoteCharacteristic) async throws(RemoteError) {
        let wanted: ClientCharacteristicConfiguration =
            characteristic.properties.contains(.notify) ? .notification : .indication
        _ = try await perform(.subscribeTo(characteristic, isNotifying ? wanted : []))
    }

    func pair(
        _ settings: PairingSettings, answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer
    ) async throws(PairingError) -> LinkProtection {
        try await radio.pair(settings, over: self, ask: answer).get()
    }

    var isBonded: Bool { get async { await radio.isBonded(link: self) } }

    func secure() async throws(RemoteError) {
        try await radio.secure(self).get()
    }

    func respond(to request: ServedRequest, _ response: AttributeResponse) async {
        await radio.respond(to: request, of: self, response)
    }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async throws(RemoteError) {
        if let end = state.withLock({ $0.end }) { throw .disconnected(end) }
        guard await radio.notify(value, of: characteristic, over: self) else {
            throw .impossible("the device is not subscribed, or accepts no more for now")
        }
    }

    func update(_ parameters: ConnectionParameters) async throws(RemoteError) {
        if let end = state.withLock({ $0.end }) { throw .disconnected(end) }
        guard parameters.isValid else { throw .impossible("the connection parameters are out of range") }
        await radio.update(self, to: parameters)
    }

    var endCode: UInt8? { state.withLock(\.code) }

    func disconnect() async {
        await radio.disconnect(self)
        _ = await waitForEnd()
    }

    func disconnect(code: UInt8) async {
        await radio.disconnect(self, HCIStatus(rawValue: code))
        _ = await waitForEnd()
    }

    var identity: RemoteAddress? { state.withLock(\.identity) }

    func waitForEnd() async -> String {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { state.ending.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    private static let mismatch = RemoteError.impossible("the response belongs to another procedure")

    private func perform(_ procedure: GATTProcedure) async throws(RemoteError) -> GATTResult {
        try await start(procedure).get()
    }

    private func start(_ procedure: GATTProcedure) async -> Result<GATTResult, RemoteError> {
        await radio.perform(procedure, for: self)
    }

    // MARK: - Called by the radio, on its event loop

    /// Waits for a procedure; called together with its start.
    func wait(for token: ATTToken?, _ continuation: CheckedContinuation<Result<GATTResult, RemoteError>, Never>) {
        let reason: String? = state.withLock { state in
            if let end = state.end { return end }
            guard let token else { return "the connection is ending" }
            state.waiting[token] = continuation
            return nil
        }
        if let reason { continuation.resume(returning: .failure(.disconnected(reason))) }
    }

    /// Waits for the RSSI.
    func waitForRSSI(_ continuation: CheckedContinuation<Result<RSSI, RemoteError>, Never>) {
        let end = state.withLock { state in
            if state.end == nil { state.rssi.append(continuation) }
            return state.end
        }
        if let end { continuation.resume(returning: .failure(.disconnected(end))) }
    }

    /// Passes the RSSI to the first that waits for it.
    func complete(_ result: Result<RSSI, LEHostFailure>) {
        let waiting = state.withLock { $0.rssi.isEmpty ? nil : $0.rssi.removeFirst() }
        waiting?.resume(returning: result.mapError { .impossible("\($0)") })
    }

    func complete(_ token: ATTToken, _ result: Result<GATTResult, ATTClientError>) {
        // The end of the connection follows, with the reason.
        if case .failure(.closed) = result { return }
        let waiting = state.withLock { state in
            state.arrivals.addResponse()
            return state.waiting.removeValue(forKey: token)
        }
        waiting?.resume(returning: result.mapError(RemoteError.init))
    }

    /// Waits until the connection is encrypted, or encryption has failed.
    func waitForSecurity(_ continuation: CheckedContinuation<Result<Void, RemoteError>, Never>) {
        let end = state.withLock { state in
            if state.end == nil { state.securing.append(continuation) }
            return state.end
        }
        if let end { continuation.resume(returning: .failure(.disconnected(end))) }
    }

    /// Ends the wait for encryption.
    func finishSecuring(_ result: Result<Void, RemoteError>) {
        let waiting = state.withLock { state in
            defer { state.securing = [] }
            return state.securing
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    func yield(_ value: RemoteNotification) {
        // One that takes the place of another that was not consumed does not change the number.
        state.withLock { state in
            if case .enqueued = notification.yield(value) { state.arrivals.addValue() }
        }
    }

    var arrivals: LinkArrivals { state.withLock(\.arrivals) }

    func yield(_ event: ServedEvent) { serving.yield(event) }

    /// A packet of the peer was received.
    func noteEstablished() {
        let waiting = state.withLock { state in
            state.isConfirmed = true
            return state.confirming.take()
        }
        waiting?.resume()
    }

    /// Sets the peer of the bond.
    func setIdentity(_ peer: PeerAddress?) {
        guard let peer else { return }
        state.withLock { $0.identity = RemoteAddress(peer) }
    }

    /// Reports how the connection is encrypted, or that a pairing failed.
    func report(_ result: Result<LinkProtection, PairingError>) { encrypting.yield(result) }

    /// The reason of its end; `nil` until then.
    var end: String? { state.withLock(\.end) }

    /// Whether the peer received a packet on the connection, as far as is known.
    var wasEstablished: Bool { state.withLock(\.wasEstablished) }

    func end(_ reason: String, code: UInt8? = nil, wasEstablished: Bool = true) {
        let ended = state.withLock { state in
            guard state.end == nil else { return State() }
            defer {
                state = State(
                    identity: state.identity, end: reason, code: code, wasEstablished: wasEstablished)
            }
            return state
        }
        for continuation in ended.waiting.values { continuation.resume(returning: .failure(.disconnected(reason))) }
        for continuation in ended.rssi { continuation.resume(returning: .failure(.disconnected(reason))) }
        for continuation in ended.securing { continuation.resume(returning: .failure(.disconnected(reason))) }
        for continuation in ended.ending { continuation.resume(returning: reason) }
        ended.confirming?.resume()
        encrypting.finish()
        notification.finish()
        serving.finish()
    }
}

extension RemoteError {
    fileprivate init(_ error: ATTClientError) {
        switch error {
        case .refused(let code, _): self = .refused(code)
        case .closed: self = .disconnected("the attribute channel was closed")
        case .timedOut: self = .disconnected("the device did not answer within \(ATTClient.transactionTimeout)")
        case .malformedResponse: self = .impossible("the device's response is malformed")
        case .tooManyRequests: self = .impossible("too many requests are waiting for the device")
        case .tooLong: self = .impossible("the value is longer than the device accepts at once")
        case .preparedValueMismatch: self = .impossible("the device did not repeat the value as it was sent")
        }
    }
}
