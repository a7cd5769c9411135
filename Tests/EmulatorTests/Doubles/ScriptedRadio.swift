// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Synchronization

/// A scripted radio that records its calls.
class ScriptedRadio: ConnectionUpdatingRadio, PairingRadio, BondStoringRadio, @unchecked Sendable {
    /// The calls, in order.
    enum Call: Hashable, Sendable {
        case open([HostedBeacon], waits: Bool)
        case replan([HostedBeacon])
        case advertise(BeaconIdentifier, Advertisement?)
        case notify([UInt8], CharacteristicIdentifier, BeaconIdentifier, to: String?)
        case updateConnection(String, ConnectionParameters)
        case disconnect(String)
        case answerPairing(PairingAnswer, String)
        case requestSecurity(String)
        case forgetBonds(String, RemoteAddress?)
        case endConnections(String, with: String?, DisconnectionReason)
        case mute(String, Bool)
        case power(String?, Bool)
        case close
    }

    /// The result of an advertisement.
    enum Reaction: Sendable {
        /// The advertisement is on the air as requested.
        case onAir
        /// The advertisement is on the air, but these fields differ, which a warning explains.
        case differing(Set<AdvertisingField>)
        /// The radio refuses the advertisement.
        case refused(RadioError)
        /// The radio reports nothing.
        case silent
    }

    private struct Script {
        var reactions: [BeaconIdentifier: Reaction] = [:]
        var openFailure: RadioError?
        var isOpeningHeld = false
        var replanFailure: RadioError?
        var whileReplanning: (@Sendable () async -> Void)?
        var capabilities = RadioCapabilities.scripted
        var keeper: (any BondStore)?
        var attributes: AttributeResponder?
    }

    let name = "scripted"
    let events = RadioEvents()
    let calls = EventLog<Call>()
    /// The requested advertisements of all beacons, in order, for tests that follow them one by one.
    let advertisements: AsyncStream<Advertisement?>
    private let requests: AsyncStream<Advertisement?>.Continuation
    private let script = Mutex(Script())

    init() {
        (advertisements, requests) = AsyncStream.makeStream()
    }

    // MARK: - Script

    func react(_ reaction: Reaction, to beacon: String) {
        script.withLock { $0.reactions[BeaconIdentifier(beacon)] = reaction }
    }

    func failOpening(_ error: RadioError) { script.withLock { $0.openFailure = error } }
    /// Makes `open` wait until it is cancelled.
    func holdOpening() { script.withLock { $0.isOpeningHeld = true } }
    func failReplanning(_ error: RadioError?) { script.withLock { $0.replanFailure = error } }
    /// Calls a function during the next `replan`.
    func whileReplanning(_ body: @escaping @Sendable () async -> Void) {
        script.withLock { $0.whileReplanning = body }
    }
    func forbidReadingBack() { script.withLock { $0.capabilities.canReadBack = false } }

    /// Emits an event.
    func emit(_ event: RadioEvent) { events.yield(event) }

    /// Reports a beacon on the air, as requested last.
    func confirm(_ beacon: String) {
        let identifier = BeaconIdentifier(beacon)
        guard let advertisement = wanted(beacon) else { return }
        emit(.advertising(identifier, Self.report(advertisement, differing: [])))
    }

    /// Sends a central's request, and returns the response.
    func ask(_ request: AttributeRequest) async -> AttributeResponse? {
        await script.withLock(\.attributes)?(request).response
    }

    /// The last advertisement requested for a beacon.
    func wanted(_ beacon: String) -> Advertisement? { advertisements(beacon).last ?? nil }

    /// All advertisements requested for a beacon; `nil` for none.
    func advertisements(_ beacon: String) -> [Advertisement?] {
        calls.entries.compactMap { call -> Advertisement?? in
            guard case .advertise(let identifier, let advertisement) = call, identifier.name == beacon else {
                return nil
            }
            return .some(advertisement)
        }
    }

    // MARK: - PeripheralRadio

    func open(
        _ beacons: [HostedBeacon], waits: Bool,
        attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities {
        let (failure, capabilities) = script.withLock { script in
            script.attributes = attributes
            return (script.openFailure, script.capabilities)
        }
        calls.append(.open(beacons, waits: waits))
        if script.withLock(\.isOpeningHeld) {
            let (nothing, continuation) = AsyncStream<Void>.makeStream()
            for await _ in nothing {}
            continuation.finish()
            throw RadioError(.poweredOff, "the wait was cancelled", hint: "wait longer")
        }
        if let failure { throw failure }
        return capabilities
    }

    func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {
        calls.append(.replan(beacons))
        let body = script.withLock { script in
            defer { script.whileReplanning = nil }
            return script.whileReplanning
        }
        await body?()
        if let failure = script.withLock(\.replanFailure) { throw failure }
    }

    func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) async {
        calls.append(.advertise(beacon, advertisement))
        requests.yield(advertisement)
        guard let advertisement else { return }
        switch script.withLock({ $0.reactions[beacon] ?? .onAir }) {
        case .onAir: emit(.advertising(beacon, Self.report(advertisement, differing: [])))
        case .differing(let fields): emit(.advertising(beacon, Self.report(advertisement, differing: fields)))
        case .refused(let error): emit(.refused(beacon, error))
        case .silent: break
        }
    }

    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) async {
        calls.append(.notify(value, characteristic, beacon, to: central))
    }

    func storeBonds(in store: any BondStore) async { script.withLock { $0.keeper = store } }
    /// The bond store.
    var keeper: (any BondStore)? { script.withLock(\.keeper) }

    func answerPairing(_ answer: PairingAnswer, of central: String) async {
        calls.append(.answerPairing(answer, central))
    }
    func requestSecurity(of central: String) async { calls.append(.requestSecurity(central)) }
    func forgetBonds(of beacon: BeaconIdentifier, peer: RemoteAddress?) async -> Int {
        calls.append(.forgetBonds(beacon.name, peer))
        return 1
    }
    func updateConnection(of central: String, to parameters: ConnectionParameters) async {
        calls.append(.updateConnection(central, parameters))
    }

    func disconnect(central: String) async { calls.append(.disconnect(central)) }

    func close() async {
        calls.append(.close)
        events.finish()
    }

    private static func report(
        _ requested: Advertisement, differing fields: Set<AdvertisingField>
    ) -> AdvertisingStatus {
        var effective = EffectiveAdvertisement(as: requested)
        effective.transmitPower = .unknown("it is not read back")
        effective.address = .unknown("it is not read back")
        let warnings = fields.map { Warning(code: "scripted", message: "\($0.rawValue) differs", hint: "none") }
        return AdvertisingStatus(requested: requested, effective: effective, differences: fields, warnings: warnings)
    }
}

extension RadioCapabilities {
    /// Those of a scripted radio.
    static let scripted = RadioCapabilities(
        name: "scripted", way: "script", wayReason: "this is a test", address: nil, hasExtendedAdvertising: true,
        instances: 8, freeInstances: 8, sharesTime: false, canReadBack: true)
}

/// A scripted radio on an emulated air.
final class ScriptedAir: ScriptedRadio, FaultInjectingRadio, @unchecked Sendable {
    /// What `endConnections` returns.
    private let ended: [String]?
    private let whileInjecting = Mutex<(@Sendable () async -> Void)?>(nil)

    init(ended: [String]? = []) { self.ended = ended }

    func endConnections(of name: String, with peer: String?, _ reason: DisconnectionReason) async -> [String]? {
        calls.append(.endConnections(name, with: peer, reason))
        return ended
    }

    /// Calls a function during the next fault of a beacon.
    func whileInjecting(_ body: @escaping @Sendable () async -> Void) { whileInjecting.withLock { $0 = body } }

    private func inject(_ call: Call) async {
        calls.append(call)
        let body = whileInjecting.withLock { $0.take() }
        await body?()
    }

    func setFault(_ fault: ConnectionFault, _ beacon: BeaconIdentifier) async {}

    func failingConnections(to beacon: BeaconIdentifier) async -> Int { 0 }

    func setMuted(_ isMuted: Bool, _ beacon: BeaconIdentifier) async { await inject(.mute(beacon.name, isMuted)) }

    func setPowered(_ isPowered: Bool, _ beacon: BeaconIdentifier) async {
        await inject(.power(beacon.name, isPowered))
    }

    func setPowered(_ isPowered: Bool) async {
        calls.append(.power(nil, isPowered))
        emit(isPowered ? .ready(.scripted) : .lost(RadioError(.poweredOff, "switched off", hint: "switch it on")))
    }
}
