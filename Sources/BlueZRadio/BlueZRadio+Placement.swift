// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio

// Bringing what is on the adapter in line with what is wanted, and finding out what became of it.

extension BlueZRadio {
    /// One pass: what was lost is noted, what is not wanted goes, what is wanted comes.
    /// - Throws: `RadioError` when the adapter does not answer.
    func place() async throws(RadioError) {
        guard let attachment else { return }
        for beacon in try await attachment.advertiser.lostBeacons().sorted() where placed[beacon] != nil {
            placed[beacon] = nil
            unconfirmed[beacon] = nil
            if wanted[beacon] != nil {
                continuation.yield(.stopped(beacon, reason: "its advertising instance was removed by another program"))
            }
        }
        let withdrawn = self.withdrawn
        self.withdrawn = []
        for beacon in placed.keys.sorted() where wanted[beacon] == nil || withdrawn.contains(beacon) {
            placed[beacon] = nil
            unconfirmed[beacon] = nil
            await attachment.advertiser.remove(beacon)
        }
        for beacon in wanted.keys.sorted() {
            guard let advertisement = wanted[beacon], placed[beacon] != advertisement else { continue }
            await put(advertisement, for: beacon, attachment)
        }
    }

    private func put(
        _ advertisement: Advertisement, for beacon: BeaconIdentifier, _ attachment: Attachment
    ) async {
        let sequence = witness.sequence
        placed[beacon] = nil
        do {
            try await attachment.advertiser.put(advertisement, for: beacon)
        } catch {
            if refused[beacon] != error { continuation.yield(.refused(beacon, error)) }
            refused[beacon] = error
            return
        }
        guard self.attachment != nil else { return }
        refused[beacon] = nil
        placed[beacon] = advertisement
        // Withdrawn or replaced meanwhile: not reported as started, since the next pass removes it.
        guard wanted[beacon] == advertisement, !withdrawn.contains(beacon) else { return }
        let patience = Duration.seconds(3 + 2 * instancesOnAir)
        unconfirmed[beacon] = Unconfirmed(
            requested: advertisement, sequence: sequence, deadline: .now.advanced(by: patience))
        confirm()
        guard unconfirmed[beacon] != nil else { return }
        keep(
            Task { [weak self] in
                try? await Task.sleep(for: patience)
                await self?.confirm()
            })
    }

    /// Reports on placed advertisements that were seen on the air, or that were waited for long enough.
    func confirm() {
        for (beacon, pending) in unconfirmed {
            guard monitor != nil else {
                let reason = "without CAP_NET_RAW the controller's commands cannot be read"
                report(beacon, pending, nil, reason)
                continue
            }
            if let sighting = sighting(of: pending) {
                report(beacon, pending, sighting, "")
            } else if ContinuousClock.now >= pending.deadline {
                report(beacon, pending, nil, "the controller was not seen to be told")
            }
        }
    }

    /// What the controller was told of an advertisement; what it had been told before is filled in where the kernel leaves
    /// out only what is the same.
    private func sighting(of pending: Unconfirmed) -> AirWitness.Sighting? {
        let mayFillIn = attachment?.advertiser.way == .management
        let isAlone = instancesOnAir == 1
        let composed = rules?.composition(of: pending.requested)
        let seen = witness.sighting(after: pending.sequence) { bytes in
            guard let bytes else { return mayFillIn && isAlone }
            return composed?.isCarried(by: bytes) ?? Self.carries(bytes, pending.requested.advertisingData)
        }
        guard var sighting = seen, mayFillIn else { return seen }
        if sighting.advertisingData == nil {
            sighting.advertisingData = pending.requested.advertisingData.serialized()
        }
        if sighting.scanResponse == nil { sighting.scanResponse = pending.requested.scanResponse.serialized() }
        return sighting
    }

    private func report(
        _ beacon: BeaconIdentifier, _ pending: Unconfirmed, _ sighting: AirWitness.Sighting?, _ reason: String
    ) {
        unconfirmed[beacon] = nil
        guard let rules else { return }
        continuation.yield(
            .advertising(
                beacon, rules.report(on: pending.requested, sighting: sighting, unseenBecause: reason)))
    }

    /// The rules of the adapter in use.
    var rules: AdvertisingRules? {
        guard let attachment else { return nil }
        return AdvertisingRules(
            way: attachment.advertiser.way, isExtended: attachment.adapter.isExtended,
            adapterAddress: attachment.adapter.address, instancesOnAir: instancesOnAir)
    }

    /// How many instances the controller serves once all that is wanted is placed, with those of others.
    private var instancesOnAir: Int {
        guard let attachment else { return wanted.count }
        let foreign = attachment.capabilities.instances - attachment.capabilities.freeInstances
        return foreign + wanted.values.map(attachment.advertiser.instancesNeeded).reduce(0, +)
    }

    /// Whether bytes on the air have everything that was asked for but the flags.
    private static func carries(_ bytes: [UInt8], _ requested: AdvertisingData) -> Bool {
        guard bytes != requested.serialized() else { return true }
        guard let structures = try? AdvertisingData(parsing: bytes).structures else { return false }
        return requested.structures.allSatisfy { structure in
            if case .flags = structure { return true }
            return structures.contains(structure)
        }
    }
}
