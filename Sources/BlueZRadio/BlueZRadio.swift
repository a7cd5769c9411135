// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import Bluetooth
import BluetoothCore
import DBus
import HCI
public import Radio

/// A radio that is one of the machine's adapters, beside bluetoothd.
///
/// It reconciles: `attach()` finds the daemon and the adapter and claims what it needs of them, `place()` brings what is
/// on the adapter in line with what is wanted. Both run in one loop, woken by signals of the bus and events of the kernel,
/// and every other second in case that one was missed.
public actor BlueZRadio: PeripheralRadio, ClientRadio, PairingRadio {
    public nonisolated let name: String
    public nonisolated let events: AsyncStream<RadioEvent>
    let continuation: AsyncStream<RadioEvent>.Continuation
    let ledger: any RadioLedger
    let capture: (any CaptureSink)?
    let captureWriter = BtsnoopWriter(.monitor)

    /// Which adapter is meant; once found, that controller by its address.
    var selector: AdapterSelector
    var beacons: [HostedBeacon] = []
    var attributes: AttributeResponder?

    /// The bus, while there is one.
    var connection: DBusConnection?
    /// The kernel's management interface, where this process may use it.
    var management: ManagementChannel?
    /// The kernel's monitor, where this process may use it.
    var monitor: BluetoothSocket?
    var witness = AirWitness()
    /// The daemon and adapter in use; `nil` while the radio is not usable.
    var attachment: Attachment?
    var trouble: RadioError?

    var wanted: [BeaconIdentifier: Advertisement] = [:]
    var placed: [BeaconIdentifier: Advertisement] = [:]
    /// What was to leave the air since the last pass, also where it is wanted again by now: its start is reported anew.
    var withdrawn: Set<BeaconIdentifier> = []
    var unconfirmed: [BeaconIdentifier: Unconfirmed] = [:]
    var refused: [BeaconIdentifier: RadioError] = [:]
    /// Connected centrals by name, with what the kernel needs to find them.
    var centrals: [String: Peer] = [:]
    /// The connections to centrals whose attributes are used, by the central's name.
    var links: [String: BlueZRemoteLink] = [:]
    /// The bus on which the values are listened to that centrals tell.
    var valuesHeardOn: DBusConnection?
    /// What centrals are called that told who they are when they paired, by that address.
    var aliases: [String: String] = [:]

    /// What bluetoothd asks and nobody has answered yet, by the central's name.
    var questions: [String: CheckedContinuation<PairingAnswer?, Never>] = [:]
    /// Who has paired since the radio is open.
    var pairedPeers: Set<RemoteAddress> = []

    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private var tasks: [Task<Void, Never>] = []
    private var reconciling: Task<Void, Never>?

    /// A daemon and an adapter that carry the beacons.
    struct Attachment {
        let daemon: BlueZDaemon
        let adapter: BlueZAdapter
        let advertiser: any InstanceAdvertiser
        let capabilities: RadioCapabilities
        let application: AttributeApplication?
        let agent: AgentClaim?
    }

    /// An advertisement that is placed but was not seen on the air yet.
    struct Unconfirmed {
        let requested: Advertisement
        let sequence: Int
        let deadline: ContinuousClock.Instant
    }

    /// A central's address as the kernel has it.
    struct Peer {
        let address: BluetoothAddress
        let type: UInt8
    }

    /// A radio on the adapter that is meant; nothing is touched before `open`.
    /// - Parameter capture: takes all that the kernel's monitor tells, as a btsnoop file; needs CAP_NET_RAW.
    public init(_ selector: AdapterSelector, ledger: any RadioLedger, capture: (any CaptureSink)? = nil) {
        self.selector = selector
        self.capture = capture
        self.ledger = ledger
        name = selector.description
        (events, continuation) = AsyncStream.makeStream()
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    public func open(
        _ beacons: [HostedBeacon], waits: Bool,
        attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities {
        self.beacons = beacons
        self.attributes = attributes
        try Self.checkServices(of: beacons)
        openKernelChannels()
        try beginCapture()
        let capabilities = try await attachAtStart(waits: waits)
        do {
            try await checkCapacity()
        } catch {
            await close()
            throw error
        }
        reconciling = Task { [weak self, wakeUps] in
            for await _ in wakeUps { await self?.reconcile() }
        }
        tasks.append(
            Task { [weak self] in
                while !Task.isCancelled {
                    await self?.wake()
                    try? await Task.sleep(for: .seconds(2))
                }
            })
        return capabilities
    }

    public func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {
        try Self.checkServices(of: beacons)
        let former = self.beacons
        self.beacons = beacons
        do throws(RadioError) {
            try await checkCapacity()
        } catch {
            self.beacons = former
            throw error
        }
        let served = beacons.served
        let servedBefore = former.served
        if served?.identifier != servedBefore?.identifier || served?.services != servedBefore?.services
            || beacons.map(\.pairing) != former.map(\.pairing)
        {
            await detach()
        }
        wake()
    }

    public func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) {
        guard wanted[beacon] != advertisement else { return }
        wanted[beacon] = advertisement
        refused[beacon] = nil
        unconfirmed[beacon] = nil
        if advertisement == nil { withdrawn.insert(beacon) }
        wake()
    }

    public func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) async {
        guard let attachment, let application = attachment.application,
            beacons.served?.identifier == beacon
        else { return }
        // A daemon that is gone tells nobody anything.
        try? await application.notify(value, of: characteristic, on: attachment.daemon.connection)
    }

    public func disconnect(central: String) async {
        guard let attachment else { return }
        if let management, let peer = centrals[central] {
            var parameters = peer.address.serialized()
            parameters.append(peer.type)
            // A peer that is gone already is what is wanted.
            _ = try? await management.command(
                .disconnect, index: attachment.adapter.index, parameters: parameters)
        } else if let path = BlueZDevice.path(of: central, on: attachment.adapter) {
            _ = try? await attachment.daemon.connection.call(
                BlueZDaemon.busName, path, "org.bluez.Device1", "Disconnect", timeout: .seconds(5))
        }
    }

    public func close() async {
        for task in tasks { task.cancel() }
        wakeUp.finish()
        // A pass under way must not bring back what is taken off here.
        reconciling?.cancel()
        await reconciling?.value
        await detach()
        await connection?.close()
        await management?.close()
        monitor?.close()
        continuation.finish()
    }

    /// Has the loop look at the world again.
    func wake() {
        wakeUp.yield()
    }

    /// Runs something for as long as the radio is open.
    func keep(_ task: Task<Void, Never>) {
        tasks.append(task)
    }

    private func reconcile() async {
        guard !Task.isCancelled else { return }
        do {
            let wasUsable = attachment != nil
            let capabilities = try await attach()
            if !wasUsable { continuation.yield(.ready(capabilities)) }
            trouble = nil
            try await place()
        } catch {
            await lose(error)
        }
    }

    private func lose(_ error: RadioError) async {
        guard !Task.isCancelled else { return }
        let onAir = Array(placed.keys)
        await detach()
        for beacon in onAir.sorted() { continuation.yield(.stopped(beacon, reason: error.message)) }
        if trouble != error { continuation.yield(.lost(error)) }
        trouble = error
    }

    private func attachAtStart(waits: Bool) async throws(RadioError) -> RadioCapabilities {
        while true {
            do throws(RadioError) {
                return try await attach()
            } catch {
                guard waits, !Task.isCancelled else {
                    await close()
                    throw error
                }
                if trouble != error { continuation.yield(.lost(error)) }
                trouble = error
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    static func checkServices(of beacons: [HostedBeacon]) throws(RadioError) {
        let configurable = beacons.filter { !$0.services.isEmpty }.map { "\"\($0.identifier)\"" }
        guard configurable.count > 1 else { return }
        throw RadioError(
            .cannotCarry,
            "\(configurable.joined(separator: " and ")) have services, but an adapter under BlueZ has one address and "
                + "one attribute database, so a central could not tell them apart",
            hint: "run one of them on each adapter (--radio bluez:hciN), and the others as plain ibeacon devices")
    }

    func checkCapacity() async throws(RadioError) {
        guard let attachment else { return }
        let (total, free) = try await attachment.advertiser.capacity()
        let fitting = try await fittingCount()
        guard fitting < beacons.count else { return }
        let kind = attachment.adapter.isExtended ? "extended" : "legacy"
        throw RadioError(
            .cannotCarry,
            "\(fitting) of \(beacons.count) beacons fit on \(attachment.adapter.name): its \(kind) controller has "
                + "\(total) advertising instances, \(free) of them free",
            hint: "run the first \(fitting) beacons here, and the others on another adapter")
    }

    /// How many of the beacons, taken in their order, the adapter has free instances for.
    func fittingCount() async throws(RadioError) -> Int {
        guard let attachment else { return 0 }
        var left = try await attachment.advertiser.capacity().free
        return beacons.prefix { beacon in
            left -= beacon.advertisement.map(attachment.advertiser.instancesNeeded) ?? 1
            return left >= 0
        }.count
    }
}

extension [HostedBeacon] {
    /// The one whose services are in the adapter's attribute table, which has room for one beacon's; `nil` when none has any.
    var served: HostedBeacon? { first { !$0.services.isEmpty } }
}
