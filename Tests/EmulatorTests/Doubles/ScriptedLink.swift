// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization

/// A link with a scripted peer.
final class ScriptedLink: ServingLink {
    /// The calls, in order.
    enum Call: Hashable, Sendable {
        case setNotifying(Bool, AttributeHandle)
        case write([UInt8], AttributeHandle)
        case respond(ServedRequest, AttributeResponse)
        case notify([UInt8], CharacteristicIdentifier)
    }

    let device: RemoteAddress
    let notifications: AsyncStream<RemoteNotification>
    let notification: AsyncStream<RemoteNotification>.Continuation
    let served: AsyncStream<ServedEvent>
    let serving: AsyncStream<ServedEvent>.Continuation
    let calls = EventLog<Call>()
    private let services: [(service: RemoteService, characteristics: [RemoteCharacteristic])]
    private let refusals: [AttributeHandle: RemoteError]
    private let discoveryGate: EventLog<Void>?
    private let ending = EventLog<String>()

    /// A peer with these services, which refuses requests to some handles.
    /// - Parameter discoveryGate: discoveries last until it has an entry; `nil` for none.
    init(
        _ device: RemoteAddress = RemoteAddress(.zero, isRandom: true),
        services: [(service: RemoteService, characteristics: [RemoteCharacteristic])] = [],
        refusals: [AttributeHandle: RemoteError] = [:], discoveryGate: EventLog<Void>? = nil
    ) {
        self.device = device
        self.services = services
        self.refusals = refusals
        self.discoveryGate = discoveryGate
        (notifications, notification) = AsyncStream.makeStream()
        (served, serving) = AsyncStream.makeStream()
    }

    func maximumTransmissionUnit() async throws(RemoteError) -> Int { 23 }
    func readRSSI() async throws(RemoteError) -> RSSI { throw .impossible("the RSSI is not measured") }
    func discoverServices(_ types: [BluetoothUUID]?) async throws(RemoteError) -> [RemoteService] {
        _ = try? await discoveryGate?.entry { _ in true }
        return services.map(\.service).filter { types?.contains($0.uuid) ?? true }
    }
    func discoverCharacteristics(of service: RemoteService) async throws(RemoteError) -> [RemoteCharacteristic] {
        services.first { $0.service == service }?.characteristics ?? []
    }
    func discoverDescriptors(of characteristic: RemoteCharacteristic) async throws(RemoteError) -> [RemoteDescriptor] {
        []
    }
    func read(_ attribute: AttributeHandle) async throws(RemoteError) -> [UInt8] {
        if let refusal = refusals[attribute] { throw refusal }
        return [UInt8(attribute.rawValue & 0xFF)]
    }
    func write(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError) {
        calls.append(.write(value, attribute))
        if let refusal = refusals[attribute] { throw refusal }
    }
    func writeWithoutResponse(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError) {}
    func setNotifying(_ isNotifying: Bool, for characteristic: RemoteCharacteristic) async throws(RemoteError) {
        calls.append(.setNotifying(isNotifying, characteristic.value))
        if let refusal = refusals[characteristic.value] { throw refusal }
    }
    func respond(to request: ServedRequest, _ response: AttributeResponse) async {
        calls.append(.respond(request, response))
    }
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async throws(RemoteError) {
        calls.append(.notify(value, characteristic))
    }
    func waitForEnd() async -> String { (try? await ending.entry { _ in true }) ?? "the reason is unknown" }
    func disconnect() async { end("this side ended it") }

    /// Ends the connection.
    func end(_ reason: String) {
        notification.finish()
        serving.finish()
        ending.append(reason)
    }
}
