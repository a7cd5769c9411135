// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import Radio

/// The peripheral role of an adapter: what it advertises for programs, the attributes that it serves, and the centrals that
/// are connected to it.
///
/// Each advertisement is a beacon of the radio, with the same attributes; all have the address of the adapter. A connected
/// central is a device of the adapter. An advertisement that ends while centrals are connected through it stays planned, and
/// silent, until they have left. Changes of the radio are made one after another.
@ServiceActor
final class LocalPeripheral {
    /// An advertisement of the radio.
    private struct Slot {
        let advertisement: Advertisement
        /// Whether it is on the air; else centrals are still connected through it.
        var isOn = true
    }

    /// A connected central.
    struct Central {
        fileprivate let slot: BeaconIdentifier
        /// Its object; `nil` if another device has its address.
        let device: ObjectPath?
        /// The ATT_MTU of its link, in bytes.
        fileprivate(set) var mtu: UInt16
    }

    private weak var adapter: Adapter?
    private let context: AdapterContext
    private var opening: Task<RadioError?, Never>?
    private var following: Task<Void, Never>?
    private var slots: [Int: Slot] = [:]
    private var services: [GATTService] = []
    private var centrals: [String: Central] = [:]
    /// The agents that take part in pairings of centrals.
    private var agents: [String: Agent] = [:]
    private var latest: Task<Void, Never>?
    /// What answers the requests of centrals.
    weak var applications: LocalApplications?

    init(of adapter: Adapter) {
        self.adapter = adapter
        context = adapter.context
    }

    private var radio: (any PeripheralRadio)? { context.radio.peripheral }

    // MARK: - Advertising and attributes

    /// Starts an advertisement, or changes it.
    /// - Throws: `RadioError` of the radio, or for an adapter without the peripheral role.
    func advertise(_ advertisement: Advertisement, as number: Int) async throws(RadioError) {
        let radio = try await open()
        try await change { [self] () async throws(RadioError) in
            let former = slots[number]
            slots[number] = Slot(advertisement: advertisement)
            do throws(RadioError) {
                try await radio.replan(plan)
            } catch {
                slots[number] = former
                throw error
            }
            await radio.advertise(advertisement, for: Self.identifier(number))
        }
    }

    /// Ends an advertisement. Without effect on one that is not there.
    func stop(_ number: Int) {
        guard let radio else { return }
        Task {
            try? await change { [self] () async throws(RadioError) in
                guard slots[number] != nil else { return }
                slots[number]?.isOn = false
                await radio.advertise(nil, for: Self.identifier(number))
                try await removeUnused()
            }
        }
    }

    /// Sets the attributes of the adapter.
    /// - Throws: `RadioError` if the radio cannot carry them; then it has the former ones.
    func serve(_ services: [GATTService]) async throws(RadioError) {
        let radio = try await open()
        try await change { [self] () async throws(RadioError) in
            let former = self.services
            self.services = services
            do throws(RadioError) {
                try await radio.replan(plan)
            } catch {
                self.services = former
                throw error
            }
        }
    }

    /// Called when the name of the adapter changed, or when centrals are to pair in another way.
    func settingsChanged() {
        guard let radio, opening != nil else { return }
        Task {
            try? await change { [self] () async throws(RadioError) in try await radio.replan(plan) }
        }
    }

    /// Sends a value to all centrals that subscribed to it.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) {
        guard let radio else { return }
        let identifiers = Set(centrals.values.map(\.slot))
        Task {
            // In the order of the values: each task begins when the one before has ended.
            try? await change { () async throws(RadioError) in
                for identifier in identifiers {
                    await radio.notify(value, of: characteristic, on: identifier, to: nil)
                }
            }
        }
    }

    /// Releases the radio, which remains the caller's.
    func close() async {
        for number in slots.keys { stop(number) }
        await latest?.value
        following?.cancel()
    }

    /// The service that bluetoothd has beside Generic Access and Generic Attribute: the PnP ID (bluez 5.82 src/gatt-database.c,
    /// `populate_devinfo_service`).
    static let deviceInformation = GATTService(
        uuid: .bit16(0x180A), characteristics: [GATTCharacteristic(uuid: .bit16(0x2A50), properties: .read)])

    private static func identifier(_ number: Int) -> BeaconIdentifier { BeaconIdentifier("advertisement\(number)") }

    private var plan: [HostedBeacon] {
        slots.sorted { $0.key < $1.key }.map { number, slot in
            var beacon = HostedBeacon(
                identifier: Self.identifier(number), services: [Self.deviceInformation] + services,
                advertisement: slot.advertisement,
                key: "\(context.path)/\(number)")
            beacon.pairing = adapter?.pairing
            beacon.deviceName = adapter?.alias
            return beacon
        }
    }

    private func removeUnused() async throws(RadioError) {
        let inUse = Set(centrals.values.map(\.slot))
        let unused = slots.filter { !$1.isOn && !inUse.contains(Self.identifier($0)) }.map(\.key)
        guard !unused.isEmpty, let radio else { return }
        for number in unused { slots[number] = nil }
        try await radio.replan(plan)
    }

    /// Makes a change after the ones before.
    private func change(
        _ body: @escaping @ServiceActor @Sendable () async throws(RadioError) -> Void
    ) async throws(RadioError) {
        let former = latest
        let task = Task { () -> RadioError? in
            await former?.value
            do throws(RadioError) {
                try await body()
                return nil
            } catch {
                return error
            }
        }
        latest = Task { _ = await task.value }
        if let error = await task.value { throw error }
    }

    private func open() async throws(RadioError) -> any PeripheralRadio {
        guard let radio else {
            throw RadioError(.unsupported, "\(context.path) has no peripheral role", hint: "use another adapter")
        }
        if opening == nil { opening = Task { await self.openRadio(radio) } }
        if let error = await opening?.value { throw error }
        return radio
    }

    private func openRadio(_ radio: any PeripheralRadio) async -> RadioError? {
        do throws(RadioError) {
            _ = try await radio.open([], waits: false) { [weak self, events = radio.events] request in
                let position = events.unhandled
                return .later { [weak self] in
                    // A write finds the subscription that preceded it.
                    if let position { await events.handled(upTo: position) }
                    return await self?.answer(request) ?? .failure(.unlikely)
                }
            }
        } catch {
            return error
        }
        following = Task { [weak self] in
            for await event in radio.events { await self?.take(event, of: radio) }
        }
        return nil
    }

    // MARK: - Centrals

    private func answer(_ request: AttributeRequest) async -> AttributeResponse {
        // The first of its type is that of the adapter.
        if request.characteristic == CharacteristicIdentifier(.bit16(0x2A50)),
            case .read(let offset) = request.operation
        {
            let value = ProductIdentifier.adapter.value
            return offset <= value.count ? .success(Array(value.dropFirst(offset))) : .failure(.invalidOffset)
        }
        return await applications?.answer(request, of: centrals[request.central]) ?? .failure(.unlikely)
    }

    private func take(_ event: RadioEvent, of radio: any PeripheralRadio) async {
        switch event {
        case .connected(let slot, let central): await connected(central, to: slot, of: radio)
        case .disconnected(_, let central):
            centrals[central] = nil
            agents.removeValue(forKey: central)?.cancel()
            applications?.disconnected(central)
            try? await change { [self] () async throws(RadioError) in try await removeUnused() }
        case .subscribed(_, let central, let characteristic, let configuration):
            applications?.subscribed(central, to: characteristic, configuration, of: centrals[central])
        case .pairing(_, let central, let event): take(event, of: central)
        case .refused(let slot, let error):
            context.options.warn("\(slot) of \(context.path) is not on the air: \(error)")
        default: break
        }
    }

    /// Takes an event of a pairing that a central requested: the default agent answers the questions.
    private func take(_ event: PairingEvent, of central: String) {
        switch event {
        case .passkeyShown(let passkey): ask(.showPasskey(passkey), central)
        case .passkeyWanted: ask(.passkey, central)
        case .comparisonWanted(let number): ask(.comparison(number), central)
        case .confirmationWanted: ask(.confirmation, central)
        case .paired(let peer):
            agents[central] = nil
            guard let path = centrals[central]?.device else { return }
            adapter?.devices.device(at: path)?.setPaired(
                isBonded: peer.isBonded, identity: peer.isBonded ? peer.address : nil)
        case .failed: agents.removeValue(forKey: central)?.cancel()
        case .began, .encrypted, .forgotten: break
        }
    }

    private func ask(_ question: PairingQuestion, _ central: String) {
        guard let radio = radio as? any PairingRadio else { return }
        let agent = context.agents.defaultAgent
        let path = centrals[central]?.device
        agents[central] = agent
        Task {
            var answer = question == .confirmation ? PairingAnswer.comparison(false) : .cancel
            // Another pairing that just works with a paired device is refused (`JustWorksRepairing` of bluetoothd's main.conf).
            let isRefused =
                question == .confirmation && path.flatMap { adapter?.devices.device(at: $0) }?.isPaired != false
            if let agent, let path, !isRefused { answer = await agent.answer(question, for: path) }
            // A passkey that is shown has no answer, but the user may cancel.
            if case .showPasskey = question, answer != .cancel { return }
            await radio.answerPairing(answer, of: central)
        }
    }

    private func connected(_ name: String, to slot: BeaconIdentifier, of radio: any PeripheralRadio) async {
        guard let link = try? await (radio as? any ClientRadio)?.link(to: name) else { return }
        let device = adapter?.devices.accept(link)
        centrals[name] = Central(slot: slot, device: device?.path, mtu: 23)
        // Not waited for: the exchange may take a while, and the next event is about another central.
        Task { [weak self] in
            guard let mtu = try? await link.maximumTransmissionUnit() else { return }
            self?.centrals[name]?.mtu = UInt16(clamping: mtu)
        }
    }
}
