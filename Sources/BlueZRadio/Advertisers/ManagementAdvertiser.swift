// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import KernelBluetooth
import Radio
import Synchronization

/// Advertises through the kernel's management socket: exact bytes in both PDUs, beside a running bluetoothd.
///
/// bluetoothd allocates instances from the lowest number up without checking whether they are in use. This advertiser
/// allocates from the highest number down, and records each instance in the ledger first: a later run finds it there after
/// a crash, and a concurrent run does not use it. While a controller is switched off, the kernel removes no instance, and
/// advertises all of them when it is switched on again: the ledger has those until they can be removed.
///
/// The kernel's list of instances is incomplete (`OtherInstances`). Lost instances are therefore taken from the kernel's events.
/// That another program has taken the number of one of ours is no event: the monitor channel shows it (`noteLoss`). An
/// instance that is not ours any more is never removed.
///
/// The kernel does not give a legacy controller data that are equal to the last ones. If they were set past the kernel
/// meanwhile, the controller would keep those; so the first advertisement, and one that is placed again, is preceded by other
/// data.
actor ManagementAdvertiser: InstanceAdvertiser {
    nonisolated let way = AdvertisingWay.management
    nonisolated let turn: Int

    private let channel: ManagementChannel
    private let index: UInt16
    private let ledger: any RadioLedger
    private let ledgerKey: String
    private var instances: [BeaconIdentifier: UInt8] = [:]
    private var others = OtherInstances()
    private var lost: [BeaconIdentifier: InstanceLoss] = [:]
    private var replaced: [UInt8] = []
    private var hasPlaced = false
    /// What was sent for each instance.
    nonisolated let additions = SentAdditions()

    /// Advertises on the controller with this index, and removes the instances that crashed runs have left on it.
    /// - Parameters:
    ///   - identity: the controller's name in the ledger.
    ///   - daemonInstances: the number of instances that bluetoothd has for programs, which are the lowest ones.
    init(
        channel: ManagementChannel, index: UInt16, identity: String, daemonInstances: Int, ledger: any RadioLedger
    ) async throws(RadioError) {
        self.channel = channel
        self.index = index
        self.ledger = ledger
        ledgerKey = Self.ledgerKey(identity)
        let features = try await Self.features(of: index, channel)
        turn = features.canSetTurn ? AdvertisingRules.requestedTurn : AdvertisingRules.defaultTurn
        others.take(listed: Set(features.instances), ours: [])
        for instance in Set(ledger.takeLeftovers(under: ledgerKey)).compactMap({ UInt8($0) })
        where instance > daemonInstances {
            await removeOrLeave(instance)
        }
    }

    /// The key of an adapter's instances in the ledger.
    static func ledgerKey(_ identity: String) -> String { "bluez-\(identity)" }

    nonisolated func instancesNeeded(by advertisement: Advertisement) -> Int { 1 }

    func capacity() async throws(RadioError) -> (total: Int, free: Int) {
        let features = try await features()
        let total = Int(features.maximumInstances)
        return (total, max(0, total - taken.subtracting(instances.values).count))
    }

    func foreignCount(on adapter: BlueZAdapter) async -> Int? {
        (try? await features()).map { _ in taken.subtracting(instances.values).count }
    }

    func put(_ advertisement: Advertisement, for beacon: BeaconIdentifier, refreshes: Bool) async throws(RadioError) {
        await remove(beacon)
        let features = try await features()
        let taken = taken
        let free = (1...max(1, features.maximumInstances)).reversed().filter { !taken.contains($0) }
        guard !free.isEmpty else {
            let foreign = taken.subtracting(instances.values).count
            throw RadioError(
                .cannotCarry,
                "\(Fault.instancesFull.sentence(at: Fault.Place("hci\(index)"))), \(foreign) of "
                    + "\(features.maximumInstances) by other programs",
                hint: "run fewer beacons, or \(Fault.instancesFull.hint())", isTemporary: foreign > 0)
        }
        let refreshes = !features.isExtended && (refreshes || !hasPlaced)
        var failure: ManagementError?
        // On a controller with advertising sets the number is the handle of the set, and some take low handles only.
        for instance in features.isExtended ? free[...] : free.prefix(1) {
            do {
                instances[beacon] = instance
                record()
                // An existing instance that the kernel's list omits would pass its scan response on to ours.
                if await remove(instance: instance) == .removed { replaced.append(instance) }
                if refreshes {
                    try await add(Self.predecessor(of: advertisement), as: instance, features)
                    await remove(instance: instance)
                }
                try await add(advertisement, as: instance, features)
                hasPlaced = true
                return
            } catch {
                await remove(beacon)
                failure = error
                guard Self.refusalsOfHandles.contains(error.status) else { break }
            }
        }
        if let failure { throw await refusal(of: beacon, failure) }
    }

    func replacedInstances() -> [UInt8] {
        defer { replaced = [] }
        return replaced
    }

    /// An advertisement whose data and scan response are other ones.
    private static func predecessor(of advertisement: Advertisement) -> Advertisement {
        var other = advertisement
        let flags: AdvertisingData = [.flags(.beacon)]
        other.advertisingData = advertisement.advertisingData == flags ? [.flags(.classicNotSupported)] : flags
        if advertisement.pdu.isScannable {
            other.scanResponse = advertisement.scanResponse.size == 0 ? [.localName("-", isComplete: false)] : []
        }
        return other
    }

    /// The statuses that the kernel has for a handle that the controller refuses.
    private static let refusalsOfHandles: Set<UInt8?> = [ManagementError.failed, ManagementError.invalidParameters]

    private func refusal(of beacon: BeaconIdentifier, _ failure: ManagementError) async -> RadioError {
        // Linux, `is_advertising_allowed`: EINVAL if the states of the controller exclude it.
        if failure.status == ManagementError.invalidParameters, await hasConnection() {
            return RadioError(
                .refused,
                "\(beacon) is not advertised: hci\(index) has a connection, beside which its controller does not "
                    + "advertise, or the advertisement is not valid (\(failure))",
                hint: "end the connection, or give the beacons an adapter of their own", isTemporary: true)
        }
        return RadioError(
            failure.status == ManagementError.invalidParameters ? .cannotCarry : .refused,
            "the kernel refuses the advertisement of \(beacon) (\(failure))", hint: failure.hint,
            isTemporary: failure.status == ManagementError.busy)
    }

    /// Whether the controller has a connection (mgmt-api, Get Connections: a count and addresses).
    private func hasConnection() async -> Bool {
        let reply = try? await channel.command(.getConnections, index: index)
        return reply?.prefix(2).contains { $0 != 0 } ?? false
    }

    private func add(
        _ advertisement: Advertisement, as instance: UInt8, _ features: AdvertisingFeatures
    ) async throws(ManagementError) {
        var flags: AddExtendedAdvertisingParameters.Flags = [.hasIntervals]
        switch advertisement.pdu {
        case .connectableScannable: flags.insert(.connectable)
        case .scannable: flags.insert(.hasScanResponse)
        case .nonConnectable: break
        }
        let parameters = AddExtendedAdvertisingParameters(
            instance: instance, flags: flags,
            turn: features.isExtended || !features.canSetTurn ? nil : UInt16(AdvertisingRules.requestedTurn),
            interval: advertisement.interval, transmitPower: advertisement.transmitPower
        ).serialized()
        additions.note(parameters, as: instance)
        _ = try await channel.command(.addExtendedAdvertisingParameters, index: index, parameters: parameters)
        let advertisingData = advertisement.advertisingData.serialized()
        let scanResponse = advertisement.scanResponse.serialized()
        let lengths = [instance, UInt8(clamping: advertisingData.count), UInt8(clamping: scanResponse.count)]
        _ = try await channel.command(
            .addExtendedAdvertisingData, index: index, parameters: lengths + advertisingData + scanResponse)
    }

    func remove(_ beacon: BeaconIdentifier) async {
        guard let instance = instances[beacon] else { return }
        await removeOrLeave(instance)
        instances[beacon] = nil
        record()
    }

    private func removeOrLeave(_ instance: UInt8) async {
        if await remove(instance: instance) == .kept { ledger.leave([String(instance)], under: ledgerKey) }
    }

    /// What became of an instance.
    private enum Removal {
        case removed
        /// There was none of this number.
        case absent
        /// It may still exist.
        case kept
    }

    /// Removes an instance.
    @discardableResult
    private func remove(instance: UInt8) async -> Removal {
        do {
            _ = try await channel.command(.removeAdvertising, index: index, parameters: [instance])
            others.noteRemoval(of: instance)
            return .removed
        } catch {
            return error.status.map(Self.absences.contains) == true ? .absent : .kept
        }
    }

    /// The statuses that the kernel has for an instance and for a controller that do not exist.
    private static let absences: Set<UInt8> = [ManagementError.invalidParameters, ManagementError.invalidIndex]

    func lostBeacons() async -> [BeaconIdentifier: InstanceLoss] {
        defer { lost = [:] }
        return lost
    }

    /// Takes note that another program has added an instance.
    func noteAddition(of instance: UInt8) { others.noteAddition(of: instance) }

    /// Takes note that an instance was removed, or added by another program: it is not ours any more.
    func noteLoss(_ loss: InstanceLoss, of instance: UInt8) {
        switch loss {
        case .removed: others.noteRemoval(of: instance)
        case .taken: others.noteAddition(of: instance)
        }
        guard let beacon = instances.first(where: { $0.value == instance })?.key else { return }
        instances[beacon] = nil
        lost[beacon] = loss
        record()
    }

    /// The instances in use: the instances of other programs, ours, and the instances of other runs.
    private var taken: Set<UInt8> {
        let ofRuns = ledger.heldByOthers(under: ledgerKey).compactMap { UInt8($0) }
        return others.numbers.union(instances.values).union(ofRuns)
    }

    func removeAll() async {
        for beacon in instances.keys { await remove(beacon) }
    }

    private func record() {
        ledger.record(instances.values.sorted().map { String($0) }, under: ledgerKey)
    }

    private func features() async throws(RadioError) -> AdvertisingFeatures {
        let ours = Set(instances.values)
        let features = try await Self.features(of: index, channel)
        others.take(listed: Set(features.instances), ours: ours.union(instances.values))
        return features
    }

    private static func features(
        of index: UInt16, _ channel: ManagementChannel
    ) async throws(RadioError) -> AdvertisingFeatures {
        do throws(ManagementError) {
            var reader = ByteReader(try await channel.command(.readAdvertisingFeatures, index: index))
            guard let features = try? AdvertisingFeatures(parsing: &reader) else {
                throw .noAnswer(.readAdvertisingFeatures)
            }
            return features
        } catch {
            throw RadioError(
                .refused, "hci\(index) does not report its advertising features (\(error))",
                hint: error.status == nil || error.status == ManagementError.silentController
                    ? error.hint : "check that the adapter is plugged in and supports Bluetooth Low Energy")
        }
    }
}

/// The parameters that this process sent last for each advertising instance, by which its commands are recognised in the
/// monitor channel.
final class SentAdditions: Sendable {
    private let parameters = Mutex<[UInt8: [UInt8]]>([:])

    /// Takes parameters of Add Extended Advertising Parameters, before they are sent.
    func note(_ bytes: [UInt8], as instance: UInt8) { parameters.withLock { $0[instance] = bytes } }

    /// Whether these are the last parameters of an instance.
    func contains(_ bytes: [UInt8], as instance: UInt8) -> Bool { parameters.withLock { $0[instance] == bytes } }
}
