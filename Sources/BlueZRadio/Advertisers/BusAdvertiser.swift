// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import DBus
import Radio

/// Advertises through bluetoothd: LEAdvertisement1 objects, which any user may register where the bus policy lets them.
///
/// The daemon composes the bytes. Where the services of a beacon do not fit beside its frame, and this daemon cannot put
/// them into the scan response, a second advertisement carries them.
actor BusAdvertiser: InstanceAdvertiser {
    private static let managerInterface = "org.bluez.LEAdvertisingManager1"
    private static let root: ObjectPath = "/org/beaconry/advertisement"

    nonisolated let way: AdvertisingWay
    private let daemon: BlueZDaemon
    private let adapter: BlueZAdapter
    /// Called when the daemon lets go of one of ours.
    private let onRelease: @Sendable () -> Void
    private var registered: [BeaconIdentifier: [ObjectPath]] = [:]
    private var released: Set<ObjectPath> = []
    private var nextNumber = 0

    init(
        daemon: BlueZDaemon, adapter: BlueZAdapter, way: AdvertisingWay, onRelease: @escaping @Sendable () -> Void
    ) {
        self.daemon = daemon
        self.adapter = adapter
        self.way = way
        self.onRelease = onRelease
    }

    nonisolated func instancesNeeded(by advertisement: Advertisement) -> Int {
        properties(of: advertisement).count
    }

    func capacity() async throws(RadioError) -> (total: Int, free: Int) {
        guard let now = try await daemon.adapters().first(where: { $0.path == adapter.path }) else { return (0, 0) }
        let ours = registered.values.map(\.count).reduce(0, +)
        return (now.freeInstances + now.activeInstances, now.freeInstances + ours)
    }

    func put(_ advertisement: Advertisement, for beacon: BeaconIdentifier) async throws(RadioError) {
        await remove(beacon)
        for properties in properties(of: advertisement) {
            do {
                try await register(properties, for: beacon)
            } catch {
                await remove(beacon)
                throw RadioError(
                    .refused, "bluetoothd refuses the advertisement of \(beacon) (\(error))",
                    cure: "run fewer beacons, or give beaconry CAP_NET_ADMIN so that it need not ask bluetoothd")
            }
        }
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
            // One that the daemon has let go of already is what is wanted.
            _ = try? await daemon.connection.call(
                BlueZDaemon.busName, adapter.path, Self.managerInterface, "UnregisterAdvertisement",
                [.objectPath(path)], timeout: .seconds(5))
            await daemon.connection.unexport(path)
            released.remove(path)
        }
    }

    func lostBeacons() async throws(RadioError) -> Set<BeaconIdentifier> {
        Set(registered.filter { !released.isDisjoint(with: $0.value) }.keys)
    }

    func removeAll() async {
        for beacon in registered.keys { await remove(beacon) }
    }

    private func noteRelease(of path: ObjectPath) {
        released.insert(path)
        onRelease()
    }

    /// The advertisements, as bluetoothd takes them, that carry one beacon.
    ///
    /// Flags decide the type: a broadcast may have none, and receivers want them, so a beacon that has flags is registered
    /// as a peripheral even where it need not be connectable.
    private nonisolated func properties(of advertisement: Advertisement) -> [[String: DBusValue]] {
        var main = common(advertisement)
        var services: [UUID128] = []
        for structure in advertisement.advertisingData.structures + advertisement.scanResponse.structures {
            switch structure {
            case .manufacturerSpecific(let company, let data):
                main["ManufacturerData"] = .dictionary(
                    "q", "v", [DBusDictionaryEntry(.uint16(company.rawValue), .variant(.bytes(data)))])
            case .serviceUUIDs128(let uuids, _): services += uuids
            case .localName(let name, _): main["LocalName"] = .string(name)
            default: break
            }
        }
        let solicited = advertisement.advertisingData.solicitedServices.map(\.expanded.description)
        if !solicited.isEmpty { main["SolicitUUIDs"] = .strings(solicited) }
        guard !services.isEmpty else { return [main] }
        let names = DBusValue.strings(services.map(\.description))
        if main["ManufacturerData"] == nil {
            main["ServiceUUIDs"] = names
            return [main]
        }
        if way.hasScanResponseServices {
            main["ScanResponseServiceUUIDs"] = names
            return [main]
        }
        var second = common(advertisement)
        second["ServiceUUIDs"] = names
        second["LocalName"] = main.removeValue(forKey: "LocalName")
        return [main, second]
    }

    private nonisolated func common(_ advertisement: Advertisement) -> [String: DBusValue] {
        let flags = advertisement.advertisingData.flags
        let isPeripheral = advertisement.pdu.isConnectable || flags != nil
        var properties: [String: DBusValue] = [
            "Type": .string(isPeripheral ? "peripheral" : "broadcast"),
            "MinInterval": .uint32(milliseconds(advertisement.interval)),
            "MaxInterval": .uint32(milliseconds(advertisement.interval)),
        ]
        if isPeripheral { properties["Discoverable"] = .boolean(flags?.contains(.generalDiscoverable) ?? false) }
        if adapter.canSetTransmitPower, let power = advertisement.transmitPower {
            properties["TxPower"] = .int16(Int16(power.decibelMilliwatts))
        }
        return properties
    }

    /// bluetoothd counts in milliseconds: rounded up, so that the interval is never shorter than what was asked.
    private nonisolated func milliseconds(_ interval: AdvertisingInterval) -> UInt32 {
        (interval.count * 625 + 999) / 1000
    }
}
