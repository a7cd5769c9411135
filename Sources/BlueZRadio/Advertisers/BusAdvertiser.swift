// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import KernelBluetooth
import Radio

/// Advertises through bluetoothd with LEAdvertisement1 objects, which any user may register if the bus policy allows it.
///
/// bluetoothd composes the bytes; `BlueZAdvertisement` maps an advertisement to the objects. All objects of a beacon are
/// registered, or none. An object that bluetoothd releases is lost until the beacon is put or removed.
actor BusAdvertiser: InstanceAdvertiser {
    private static let managerInterface = "org.bluez.LEAdvertisingManager1"
    private static let root: ObjectPath = "/org/beaconry/advertisement"

    nonisolated let way: AdvertisingWay
    /// bluetoothd requests no length, so it is the kernel's, unless its configuration has another one
    /// (MultiAdvertisementRotationInterval).
    nonisolated let turn = AdvertisingRules.defaultTurn
    private nonisolated let capabilities: DaemonCapabilities
    private let daemon: BlueZDaemon
    private let adapter: BlueZAdapter
    /// Called when bluetoothd releases one of our objects.
    private let onRelease: @Sendable () -> Void
    private var registered: [BeaconIdentifier: [ObjectPath]] = [:]
    private var released: Set<ObjectPath> = []
    private var nextNumber = 0

    init(
        daemon: BlueZDaemon, adapter: BlueZAdapter, capabilities: DaemonCapabilities,
        onRelease: @escaping @Sendable () -> Void
    ) {
        self.daemon = daemon
        self.adapter = adapter
        self.capabilities = capabilities
        way = .bus(capabilities)
        self.onRelease = onRelease
    }

    nonisolated func instancesNeeded(by advertisement: Advertisement) -> Int {
        BlueZAdvertisement(advertisement, for: capabilities).objects.count
    }

    func capacity() async throws(RadioError) -> (total: Int, free: Int) {
        guard let now = try await daemon.adapters().first(where: { $0.path == adapter.path }) else { return (0, 0) }
        let ours = registered.values.map(\.count).reduce(0, +)
        return (now.freeInstances + now.activeInstances, now.freeInstances + ours)
    }

    func foreignCount(on adapter: BlueZAdapter) -> Int? {
        max(0, adapter.activeInstances - registered.values.map(\.count).reduce(0, +))
    }

    func put(_ advertisement: Advertisement, for beacon: BeaconIdentifier, refreshes: Bool) async throws(RadioError) {
        await remove(beacon)
        for properties in BlueZAdvertisement(advertisement, for: capabilities).objects {
            do {
                try await register(properties, for: beacon)
            } catch {
                await remove(beacon)
                throw RadioError(
                    .refused, "bluetoothd refuses the advertisement of \(beacon) (\(error))",
                    hint: Self.hint(for: error, daemon: capabilities.version),
                    isTemporary: error.isBlueZ("NotPermitted") || error.kind == .timeout)
            }
        }
    }

    /// The versions of bluetoothd whose Add Extended Advertising Data is 8 bytes too long. Kernels that check the length
    /// refuse all of them (Linux d3f7d17960ed, of mid-2026; the next ones accept the length again, 58d810354de1b).
    private static let longCommands = BlueZVersion(5, 56)...BlueZVersion(5, 86)

    /// The hint for a refused registration.
    static func hint(for error: DBusError, daemon version: BlueZVersion?) -> String {
        if error.isBlueZ("Failed"), version.map(longCommands.contains) ?? true {
            return "if \(Fault.strictKernel.sentence()): \(Fault.strictKernel.hint()); see dmesg for other causes"
        }
        if error.isBlueZ("NotPermitted") {
            return "run fewer beacons, or \(Fault.instancesFull.hint())"
        }
        return "run fewer beacons, or give beaconry CAP_NET_ADMIN so that it need not ask bluetoothd"
    }

    private func register(_ properties: [String: DBusValue], for beacon: BeaconIdentifier) async throws(DBusError) {
        let path = try Self.root.appending("advertisement\(nextNumber)")
        nextNumber += 1
        let release: MethodHandler = { [weak self] _ in
            await self?.noteRelease(of: path)
            return .success([])
        }
        let interface = ExportedInterface(
            "org.bluez.LEAdvertisement1", properties: { properties }, methods: ["Release": release])
        try await daemon.connection.export(ExportedObject(path: path, interfaces: [interface]))
        do {
            _ = try await daemon.connection.call(
                BlueZDaemon.busName, adapter.path, Self.managerInterface, "RegisterAdvertisement",
                [.objectPath(path), .variants([:])], timeout: .seconds(10))
            registered[beacon, default: []].append(path)
        } catch {
            await daemon.connection.unexport(path)
            throw error
        }
    }

    func remove(_ beacon: BeaconIdentifier) async {
        for path in registered.removeValue(forKey: beacon) ?? [] {
            // An error means that bluetoothd has released the object already.
            _ = try? await daemon.connection.call(
                BlueZDaemon.busName, adapter.path, Self.managerInterface, "UnregisterAdvertisement",
                [.objectPath(path)], timeout: .seconds(5))
            await daemon.connection.unexport(path)
            released.remove(path)
        }
    }

    func lostBeacons() async -> [BeaconIdentifier: InstanceLoss] {
        registered.filter { !released.isDisjoint(with: $0.value) }.mapValues { _ in .removed }
    }

    func removeAll() async {
        for beacon in registered.keys { await remove(beacon) }
    }

    private func noteRelease(of path: ObjectPath) {
        released.insert(path)
        onRelease()
    }
}
