// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import DBus
import Radio

// Finding the daemon and the adapter, and claiming and giving back what the beacons need of them.

extension BlueZRadio {
    /// Makes the radio usable, or finds that it still is.
    /// - Throws: `RadioError` that says what is missing.
    func attach() async throws(RadioError) -> RadioCapabilities {
        let connection = try await bus()
        let daemon = try await BlueZDaemon.find(on: connection)
        let adapter = try await usableAdapter(of: daemon)
        if let attachment {
            if attachment.daemon.owner == daemon.owner, attachment.adapter.path == adapter.path {
                return attachment.capabilities
            }
            await detach()
        }
        selector = .address(adapter.address)
        let advertiser = try await advertiser(on: adapter, of: daemon)
        let application = try await registerServices(with: daemon, on: adapter)
        let agent: AgentClaim?
        do throws(RadioError) {
            agent = try await registerAgent(with: daemon, on: adapter)
        } catch {
            await release(application, of: daemon, on: adapter)
            throw error
        }
        let capabilities = try await capabilities(of: adapter, advertiser)
        attachment = Attachment(
            daemon: daemon, adapter: adapter, advertiser: advertiser, capabilities: capabilities,
            application: application, agent: agent)
        return capabilities
    }

    /// Takes all of ours off the daemon and the adapter, as far as they are still there.
    func detach() async {
        guard let attachment else { return }
        self.attachment = nil
        placed = [:]
        unconfirmed = [:]
        await attachment.advertiser.removeAll()
        await release(attachment.application, of: attachment.daemon, on: attachment.adapter)
        if let agent = attachment.agent { await unregister(agent, on: attachment.adapter) }
        for central in centrals.keys { noteDisconnection(of: central) }
    }

    /// Opens what the kernel lets this process use; what it does not is done without.
    func openKernelChannels() {
        let rights = ProcessRights.current
        if rights.networkAdministration, let channel = try? ManagementChannel() {
            management = channel
            keep(
                Task { [weak self, events = channel.events] in
                    for await event in events { await self?.handle(event) }
                })
        }
        if rights.rawNetwork, let socket = try? BluetoothSocket(.monitor) {
            monitor = socket
            keep(
                Task { [weak self, packets = socket.packets] in
                    for await packet in packets { await self?.handleMonitorPacket(packet) }
                })
        }
    }

    private func bus() async throws(RadioError) -> DBusConnection {
        if let connection { return connection }
        let connection = try await BlueZDaemon.systemBus()
        self.connection = connection
        keep(
            Task { [weak self] in
                await connection.waitUntilClosed()
                await self?.forget(connection)
            })
        await watch(connection)
        return connection
    }

    private func forget(_ closed: DBusConnection) {
        guard connection === closed else { return }
        connection = nil
        wake()
    }

    private func usableAdapter(of daemon: BlueZDaemon) async throws(RadioError) -> BlueZAdapter {
        let adapter = try await selector.usableAdapter(of: daemon)
        guard adapter.canAdvertise else {
            throw RadioError(
                .cannotCarry, "\(adapter.name) cannot advertise over Bluetooth Low Energy",
                hint: "use an adapter of Bluetooth 4.0 or newer")
        }
        return adapter
    }

    private func advertiser(
        on adapter: BlueZAdapter, of daemon: BlueZDaemon
    ) async throws(RadioError) -> any InstanceAdvertiser {
        if let management, await Self.takesExtendedParameters(management) {
            return try await ManagementAdvertiser(
                channel: management, index: adapter.index, address: adapter.address, ledger: ledger)
        }
        let capabilities = DaemonCapabilities(
            version: adapter.daemonVersion, isExperimental: await daemon.isExperimental(),
            canIncludeTransmitPower: adapter.canIncludeTransmitPower, canSetTransmitPower: adapter.canSetTransmitPower)
        return BusAdvertiser(daemon: daemon, adapter: adapter, capabilities: capabilities) { [weak self] in
            Task { await self?.wake() }
        }
    }

    /// Whether the kernel has Add Extended Advertising Parameters (since Linux 5.11).
    private static func takesExtendedParameters(_ channel: ManagementChannel) async -> Bool {
        guard
            let reply = try? await channel.command(.readCommands, index: ManagementPacket.noController),
            let commands = try? ManagementCommandList(parsing: reply)
        else { return false }
        return commands.opcodes.contains(.addExtendedAdvertisingParameters)
    }

    private func registerServices(
        with daemon: BlueZDaemon, on adapter: BlueZAdapter
    ) async throws(RadioError) -> AttributeApplication? {
        guard let beacon = beacons.served else { return nil }
        try claimAttributes(of: adapter, for: beacon.identifier)
        do {
            let application = try AttributeApplication(
                services: beacon.services,
                respond: { [weak self] characteristic, device, operation in
                    let request = AttributeRequest(
                        beacon: beacon.identifier, characteristic: characteristic,
                        central: device.flatMap(BlueZDevice.address)?.description ?? "unknown", operation: operation)
                    return await self?.respond(to: request) ?? .failure(.unlikely)
                },
                subscribe: { [weak self] in await self?.noteSubscription(to: $0, of: beacon.identifier, $1) })
            try await application.register(with: daemon, on: adapter)
            return application
        } catch {
            throw RadioError(
                .refused, "bluetoothd refuses the services of \(beacon.identifier) (\(error))",
                hint: "check the bus policy for org.bluez, and that no other beaconry runs on \(adapter.name)")
        }
    }

    /// Whose wish it is the daemon does not say: it is put down to one of the centrals that are connected.
    private func noteSubscription(
        to characteristic: CharacteristicIdentifier, of beacon: BeaconIdentifier, _ isWanted: Bool
    ) {
        continuation.yield(
            .subscribed(
                beacon, central: centrals.keys.min() ?? "unknown", characteristic, isWanted ? .notification : []))
    }

    /// One run at a time has services on an adapter: a central could not tell two apart.
    private func claimAttributes(of adapter: BlueZAdapter, for beacon: BeaconIdentifier) throws(RadioError) {
        let key = Self.attributesKey(adapter)
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

    private func release(
        _ application: AttributeApplication?, of daemon: BlueZDaemon, on adapter: BlueZAdapter
    ) async {
        guard let application else { return }
        await application.unregister(from: daemon, on: adapter)
        ledger.record([], under: Self.attributesKey(adapter))
    }

    static func attributesKey(_ adapter: BlueZAdapter) -> String { "attributes-\(adapter.address)" }

    private func capabilities(
        of adapter: BlueZAdapter, _ advertiser: any InstanceAdvertiser
    ) async throws(RadioError) -> RadioCapabilities {
        let (total, free) = try await advertiser.capacity()
        let reason =
            switch advertiser.way {
            case .management: "this process has CAP_NET_ADMIN: exact bytes in both PDUs"
            case .bus where management != nil: "the kernel is older than 5.11"
            case .bus: "without CAP_NET_ADMIN, bluetoothd composes the bytes"
            }
        return RadioCapabilities(
            name: "bluez:\(adapter.name)", way: advertiser.way.name, wayReason: reason, address: adapter.address,
            hasExtendedAdvertising: adapter.isExtended, instances: total, freeInstances: free,
            sharesTime: !adapter.isExtended, canReadBack: monitor != nil)
    }
}
