// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Devices
import Persistence
import Profiles
import Radio

/// The first phase of a start, a reload or a reset: prepares the new beacons without changing the run. The second phase is in `Emulator`, which gives them to the radio and swaps them.
struct BeaconReplacement: Sendable {
    /// A new beacon, and the one with the same profile and id before.
    typealias Fresh = (beacon: RunningBeacon, predecessor: RunningBeacon?)

    /// All beacons after the replacement, in the order of the profiles.
    private(set) var next: [RunningBeacon] = []
    /// The beacons that are new.
    private(set) var fresh: [Fresh] = []
    /// The beacons of the run that are replaced or removed.
    let gone: [RunningBeacon]
    /// The profiles of the beacons.
    let profiles: [Profile]

    /// Makes the beacons of profiles. A new beacon takes over the lock of the one that it replaces.
    /// - Parameters:
    ///   - present: The beacons of the run.
    ///   - keepsEqual: Whether a beacon whose definition has not changed is kept; another label is no reason to replace it.
    ///   - renewed: Beacons that are replaced anyway.
    /// - Throws: `EmulatorError` `.cannotCreate` if a lock cannot be acquired; then none is.
    init(
        of present: [RunningBeacon], by profiles: [Profile], keepsEqual: Bool,
        renewing renewed: Set<BeaconIdentifier> = [], _ factory: BeaconFactory
    ) async throws(EmulatorError) {
        self.profiles = profiles
        let paths = present.map { ("\($0.profileName)/\($0.profile.id)", $0) }
        let predecessors = Dictionary(paths, uniquingKeysWith: { first, _ in first })
        var next: [RunningBeacon] = []
        var fresh: [Fresh] = []
        do throws(EmulatorError) {
            // Requests do not wait for thousands of beacons.
            var pauses = LongWork.Pauses()
            for (profile, definition, identifier) in BeaconFactory.identified(profiles) {
                await pauses.step()
                let predecessor = predecessors["\(profile.name)/\(definition.id)"]
                if keepsEqual, let predecessor, predecessor.profile.isSameDevice(as: definition),
                    predecessor.identifier == identifier, !renewed.contains(identifier)
                {
                    next.append(predecessor)
                    continue
                }
                let beacon = try factory.makeBeacon(definition, of: profile.name, identifier, lock: predecessor?.lock)
                fresh.append((beacon, predecessor))
                next.append(beacon)
            }
        } catch {
            Self.releaseLocks(of: fresh)
            throw error
        }
        let kept = Set(next.map(ObjectIdentifier.init))
        gone = present.filter { !kept.contains(ObjectIdentifier($0)) }
        (self.next, self.fresh) = (next, fresh)
    }

    /// Gives up the replacement: the beacons of the run keep their locks.
    func cancel() { Self.releaseLocks(of: fresh) }

    /// The identifiers of all beacons that this replacement removes or adds.
    var handedOver: Set<BeaconIdentifier> { Set((gone + fresh.map(\.beacon)).map(\.identifier)) }

    /// Releases the locks of the replaced beacons that no successor has.
    func releaseFormerLocks() {
        let locks = Set(next.compactMap(\.lock).map(ObjectIdentifier.init))
        for case let lock? in gone.map(\.lock) where !locks.contains(ObjectIdentifier(lock)) { lock.release() }
    }

    private static func releaseLocks(of fresh: [Fresh]) {
        for (beacon, predecessor) in fresh where predecessor?.lock !== beacon.lock { beacon.lock?.release() }
    }
}
