// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import KernelBluetooth
import Radio

/// The registrations of a radio with bluetoothd and the kernel, for its beacons on one adapter: an advertiser, the
/// services of one beacon, and a pairing agent.
struct AdapterClaim: Sendable {
    /// The functions of the radio that the claim calls.
    struct Handlers: Sendable {
        /// Answers an attribute request.
        let respond: @Sendable (AttributeRequest) async -> AttributeResponse
        /// Reports whether centrals are subscribed to a characteristic of a beacon.
        let noteSubscription: @Sendable (CharacteristicIdentifier, BeaconIdentifier, Bool) async -> Void
        /// Answers bluetoothd's pairing requests; `nil` declines.
        let answerPairing: @Sendable (AgentRequest, ObjectPath) async -> PairingAnswer?
        /// Declines the pending pairing requests.
        let cancelPairing: @Sendable () async -> Void
        /// Reports that bluetoothd has released an advertisement.
        let noteRelease: @Sendable () -> Void
    }

    let attachment: AdapterAttachment
    let advertiser: any InstanceAdvertiser
    let capabilities: RadioCapabilities
    /// Warnings about the pairing of beacons, found during the registration.
    let warnings: [(beacon: BeaconIdentifier, warning: Warning)]
    /// The kernel's settings of the adapter; `nil` without the management interface.
    var settings: AdapterSettings?
    /// Whether bluetoothd reports that the adapter is discoverable.
    var isDiscoverable: Bool
    /// Whether bluetoothd reports that a program scans with the adapter.
    var isDiscovering: Bool
    /// The number of advertising instances of other programs.
    var foreignCount: Int
    private let application: AttributeApplication?
    private let agent: AdapterAgent?
    private let ledger: any RadioLedger

    var daemon: BlueZDaemon { attachment.daemon }
    var adapter: BlueZAdapter { attachment.adapter }

    /// Registers the advertiser, the services and the pairing agent that the beacons need.
    /// - Throws: `RadioError`; nothing is registered then.
    static func make(
        for beacons: [HostedBeacon], on attachment: AdapterAttachment, channels: KernelChannels,
        ledger: any RadioLedger, handlers: Handlers
    ) async throws(RadioError) -> AdapterClaim {
        let settings = await readSettings(of: attachment.adapter, channels)
        // bluetoothd has not taken the kernel's event yet.
        if let settings, !settings.contains(.powered) { throw .notPowered(attachment.adapter.name) }
        if let settings, !settings.contains(.lowEnergy) { throw .lowEnergyOff(attachment.adapter.name) }
        let advertiser = try await makeAdvertiser(on: attachment, channels, ledger, handlers)
        let application = try await registerServices(of: beacons.served, on: attachment, ledger, handlers)
        var agent: AdapterAgent?
        do throws(RadioError) {
            agent = try await registerAgent(for: beacons.pairing, on: attachment, handlers)
            let capabilities = try await capabilities(of: attachment.adapter, advertiser, channels)
            return AdapterClaim(
                attachment: attachment, advertiser: advertiser, capabilities: capabilities,
                warnings: agent?.warnings ?? [], settings: settings,
                isDiscoverable: attachment.adapter.isDiscoverable,
                isDiscovering: attachment.adapter.isDiscovering,
                foreignCount: capabilities.instances - capabilities.freeInstances, application: application,
                agent: agent,
                ledger: ledger)
        } catch {
            await release(application, on: attachment, ledger)
            await agent?.unregister()
            throw error
        }
    }

    /// Removes the advertisements and the services, if the daemon and the adapter still have them.
    func releaseBeacons() async {
        await advertiser.removeAll()
        await Self.release(application, on: attachment, ledger)
    }

    /// Removes the pairing agent.
    func releaseAgent() async {
        await agent?.unregister()
    }

    /// Notifies all subscribers of a value of the served beacon, through bluetoothd.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async {
        // Without a daemon there are no subscribers.
        try? await application?.notify(value, of: characteristic, on: daemon.connection)
    }

    // MARK: - Capacity

    /// Verifies that the adapter has enough free instances.
    /// - Throws: `RadioError` when the adapter has fewer free instances than the beacons need, or does not answer; a temporary
    ///   error if the adapter has enough without the instances of other programs.
    func requireCapacity(for beacons: [HostedBeacon]) async throws(RadioError) {
        let (total, free) = try await advertiser.capacity()
        let fitting = fittingCount(of: beacons, on: free)
        guard fitting < beacons.count else { return }
        let kind = adapter.isExtended ? "extended" : "legacy"
        throw RadioError(
            .cannotCarry,
            "\(fitting) of \(beacons.count) beacons fit on \(adapter.name): its \(kind) controller has "
                + "\(total) advertising instances, \(free) of them free",
            hint: free > 0 || adapter.activeInstances > 0
                ? "run the first \(fitting) beacons here, and the others on another adapter"
                : Fault.instancesFull.hint(),
            isTemporary: fittingCount(of: beacons, on: total) == beacons.count)
    }

    /// The number of beacons, in their order, that the adapter has free instances for.
    func fittingCount(of beacons: [HostedBeacon]) async throws(RadioError) -> Int {
        fittingCount(of: beacons, on: try await advertiser.capacity().free)
    }

    private func fittingCount(of beacons: [HostedBeacon], on instances: Int) -> Int {
        var left = instances
        return beacons.prefix { beacon in
            left -= beacon.advertisement.map(advertiser.instancesNeeded) ?? 1
            return left >= 0
        }.count
    }

    /// Whether advertisements reach the adapter without bluetoothd.
    var isIndependent: Bool { advertiser.way == .management }

    /// The number of advertising instances of other programs at present.
    /// - Parameter adapter: the adapter as bluetoothd describes it now.
    func foreignCount(on adapter: BlueZAdapter) async -> Int {
        await advertiser.foreignCount(on: adapter) ?? foreignCount
    }

    /// The rules of the adapter while it carries these advertisements and the advertisements of other programs.
    func rules(
        for advertisements: some Collection<Advertisement>, _ foreign: ForeignInstances = ForeignInstances()
    ) -> AdvertisingRules {
        var rules = AdvertisingRules(
            way: way, isExtended: adapter.isExtended, adapterAddress: adapter.address,
            instancesOnAir: foreignCount + advertisements.map(advertiser.instancesNeeded).reduce(0, +),
            foreignTurns: foreign.turns(of: foreignCount), settings: knownSettings, turn: advertiser.turn,
            place: place)
        rules.requested = Array(advertisements)
        return rules
    }

    private var place: Fault.Place { Fault.Place(ofThisMachine: adapter.name) }

    private var way: AdvertisingWay {
        guard case .bus(var daemon) = advertiser.way else { return advertiser.way }
        daemon.isAdapterDiscoverable = isDiscoverable
        return .bus(daemon)
    }

    private var knownSettings: AdvertisingRules.KnownSettings {
        guard let settings else { return .init(isConnectable: isDiscoverable, isDiscoverable: isDiscoverable) }
        return .init(
            isConnectable: settings.contains(.connectable), isDiscoverable: settings.contains(.discoverable),
            isLowEnergyOnly: !settings.contains(.classic))
    }

    /// Why nothing can be advertised at present; `nil` if it can.
    var obstacle: RadioError? {
        guard settings?.contains(.advertising) == true else { return nil }
        return Fault.ownAdvertising.error(.refused, at: place, isTemporary: true)
    }

    // MARK: - Registration

    private static func readSettings(
        of adapter: BlueZAdapter, _ channels: KernelChannels
    ) async -> AdapterSettings? {
        guard
            let reply = try? await channels.management?.command(.readControllerInformation, index: adapter.index)
        else { return nil }
        return (try? ControllerInformation(parsing: reply))?.currentSettings
    }

    private static func makeAdvertiser(
        on attachment: AdapterAttachment, _ channels: KernelChannels, _ ledger: any RadioLedger, _ handlers: Handlers
    ) async throws(RadioError) -> any InstanceAdvertiser {
        let adapter = attachment.adapter
        if let management = channels.management, await supportsExtendedParameters(management) {
            return try await ManagementAdvertiser(
                channel: management, index: adapter.index, identity: adapter.identity,
                daemonInstances: adapter.activeInstances, ledger: ledger)
        }
        let capabilities = DaemonCapabilities(
            version: adapter.daemonVersion, isExperimental: await attachment.daemon.isExperimental(),
            canIncludeTransmitPower: adapter.canIncludeTransmitPower, canSetTransmitPower: adapter.canSetTransmitPower)
        return BusAdvertiser(
            daemon: attachment.daemon, adapter: adapter, capabilities: capabilities, onRelease: handlers.noteRelease)
    }

    /// Whether the kernel has Add Extended Advertising Parameters (since Linux 5.11).
    private static func supportsExtendedParameters(_ channel: ManagementChannel) async -> Bool {
        guard
            let reply = try? await channel.command(.readCommands, index: ManagementPacket.noController),
            let commands = try? ManagementCommandList(parsing: reply)
        else { return false }
        return commands.opcodes.contains(.addExtendedAdvertisingParameters)
    }

    private static func registerServices(
        of beacon: HostedBeacon?, on attachment: AdapterAttachment, _ ledger: any RadioLedger, _ handlers: Handlers
    ) async throws(RadioError) -> AttributeApplication? {
        guard let beacon else { return nil }
        let identifier = beacon.identifier
        try reserveAttributes(of: attachment.adapter, for: identifier, ledger)
        do {
            let application = try AttributeApplication(
                services: beacon.services,
                respond: { characteristic, device, operation in
                    await handlers.respond(
                        AttributeRequest(
                            beacon: identifier, characteristic: characteristic,
                            central: device.flatMap(BlueZDevice.address)?.description ?? "unknown",
                            operation: operation))
                },
                noteSubscription: { await handlers.noteSubscription($0, identifier, $1) })
            try await application.register(with: attachment.daemon, on: attachment.adapter)
            return application
        } catch {
            throw RadioError(
                .refused, "bluetoothd refuses the services of \(identifier) (\(error))",
                hint: "check the bus policy for org.bluez, and that no other beaconry runs on "
                    + "\(attachment.adapter.name)")
        }
    }

    /// Reserves the attribute database of an adapter, which one run at a time may use: a central could not distinguish
    /// the services of two beacons.
    private static func reserveAttributes(
        of adapter: BlueZAdapter, for beacon: BeaconIdentifier, _ ledger: any RadioLedger
    ) throws(RadioError) {
        let key = attributesKey(adapter)
        _ = ledger.takeLeftovers(under: key)
        if let other = ledger.heldByOthers(under: key).first {
            throw RadioError(
                .cannotCarry,
                "\(adapter.name) carries the configurable beacon \"\(other)\" of another run already, and an adapter "
                    + "under BlueZ has one attribute database",
                hint: "stop that run, or use another adapter (--radio bluez:hciN)")
        }
        ledger.record([beacon.name], under: key)
    }

    private static func release(
        _ application: AttributeApplication?, on attachment: AdapterAttachment, _ ledger: any RadioLedger
    ) async {
        guard let application else { return }
        await application.unregister(from: attachment.daemon, on: attachment.adapter)
        ledger.record([], under: attributesKey(attachment.adapter))
    }

    private static func attributesKey(_ adapter: BlueZAdapter) -> String { "attributes-\(adapter.identity)" }

    private static func registerAgent(
        for beacon: HostedBeacon?, on attachment: AdapterAttachment, _ handlers: Handlers
    ) async throws(RadioError) -> AdapterAgent? {
        guard let beacon, let settings = beacon.pairing else { return nil }
        do throws(DBusError) {
            return try await AdapterAgent.register(
                for: beacon.identifier, settings, on: attachment,
                responder: AgentResponder(
                    owner: attachment.daemon.owner, ask: handlers.answerPairing, cancel: handlers.cancelPairing))
        } catch {
            throw RadioError(
                .refused, "bluetoothd refuses the agent for pairing with \(beacon.identifier) (\(error))",
                hint: "check the bus policy for org.bluez, or leave pairing out of the profile")
        }
    }

    private static func capabilities(
        of adapter: BlueZAdapter, _ advertiser: any InstanceAdvertiser, _ channels: KernelChannels
    ) async throws(RadioError) -> RadioCapabilities {
        let (total, free) = try await advertiser.capacity()
        let reason =
            switch advertiser.way {
            case .management: "this process has CAP_NET_ADMIN: exact bytes in both PDUs"
            case .bus where channels.management != nil: "the kernel is older than 5.11"
            case .bus: "without CAP_NET_ADMIN, bluetoothd composes the bytes"
            }
        return RadioCapabilities(
            name: "bluez:\(adapter.name)", way: advertiser.way.name, wayReason: reason, address: adapter.address,
            hasExtendedAdvertising: adapter.isExtended, instances: total, freeInstances: free,
            sharesTime: !adapter.isExtended, canReadBack: channels.monitor != nil)
    }
}

extension [HostedBeacon] {
    /// The beacon whose services are in the adapter's attribute database, which has room for one; `nil` if none has
    /// services.
    var served: HostedBeacon? { first { !$0.services.isEmpty } }

    /// The beacon that centrals pair with; there is at most one, since the adapter has one address.
    var pairing: HostedBeacon? {
        first { !$0.services.isEmpty && $0.pairing != nil } ?? first { $0.pairing != nil }
    }

    /// Verifies that at most one beacon has services.
    /// - Throws: `RadioError` when more than one has.
    func requireOneServer() throws(RadioError) {
        let configurable = filter { !$0.services.isEmpty }.map { "\"\($0.identifier)\"" }
        guard configurable.count > 1 else { return }
        throw RadioError(
            .cannotCarry,
            "\(configurable.joined(separator: " and ")) have services, but an adapter under BlueZ has one address and "
                + "one attribute database, so a central could not distinguish them",
            hint: "run one of them on each adapter (--radio bluez:hciN), and the others as plain ibeacon devices")
    }
}
