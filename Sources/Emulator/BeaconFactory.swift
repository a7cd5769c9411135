// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Concurrency
import Devices
import Dispatch
import Persistence
import Profiles
import Radio

/// Reads the profiles of a run, and makes their beacons.
struct BeaconFactory: Sendable {
    private let load: @Sendable () throws(ProfileFaults) -> [Profile]
    private let hasProfilesInMemory: Bool
    private let state: StateFolder?
    private let executor: ActorExecutor
    private let clock: Timekeeper
    private let counts: RunCounts
    /// The actions of the beacons, in order.
    let actions: AsyncStream<RunningBeacon.Action>
    private let action: AsyncStream<RunningBeacon.Action>.Continuation

    /// - Parameter executor: the emulator's executor, for beacons that never block.
    init(_ configuration: Emulator.Configuration, executor: ActorExecutor, clock: Timekeeper, counts: RunCounts) {
        load = configuration.loadProfiles
        hasProfilesInMemory = configuration.hasProfilesInMemory
        state = configuration.state
        self.executor = executor
        self.clock = clock
        self.counts = counts
        (actions, action) = AsyncStream.makeStream()
    }

    /// Notes, after the actions so far, that all beacons of the beginning have been switched on.
    func noteBegun() { action.yield(.begun) }

    /// Reads the profiles on a separate thread, so that a file system that does not answer blocks neither the beacons
    /// nor the end of the run.
    /// - Throws: `EmulatorError`; `.inputOutput` if the task is cancelled before they are read.
    func loadProfiles() async throws(EmulatorError) -> [Profile] {
        if hasProfilesInMemory {
            do throws(ProfileFaults) {
                return try load()
            } catch {
                throw EmulatorError(error)
            }
        }
        let (results, result) = AsyncStream.makeStream(of: Result<[Profile], ProfileFaults>.self)
        DispatchQueue(label: "profiles").async { [load] in
            do throws(ProfileFaults) {
                result.yield(.success(try load()))
            } catch {
                result.yield(.failure(error))
            }
            result.finish()
        }
        for await result in results {
            do throws(ProfileFaults) {
                return try result.get()
            } catch {
                throw EmulatorError(error)
            }
        }
        throw EmulatorError(.inputOutput, "the run ended before the profiles were read")
    }

    /// Makes a beacon.
    /// - Parameter lock: The lock of its settings, if its predecessor holds it.
    /// - Throws: `EmulatorError` `.cannotCreate` if the lock cannot be acquired.
    func makeBeacon(
        _ beacon: BeaconDefinition, of profile: String, _ identifier: BeaconIdentifier, lock: FileLock? = nil
    ) throws(EmulatorError) -> RunningBeacon {
        try RunningBeacon(
            beacon, of: profile, identifier: identifier, state: state, lock: lock, executor: executor, clock: clock,
            counts: counts
        ) { [action] in action.yield($0) }
    }

    /// The beacons of profiles with their names in a run: the id, or `PROFILE/ID` if two profiles share the id.
    static func identified(_ profiles: [Profile]) -> [(Profile, BeaconDefinition, BeaconIdentifier)] {
        let all = profiles.flatMap { profile in profile.beacons.map { (profile, $0) } }
        let counts = Dictionary(all.map { ($0.1.id, 1) }, uniquingKeysWith: +)
        return all.map { profile, beacon in
            let isShared = counts[beacon.id, default: 1] > 1
            return (profile, beacon, BeaconIdentifier(isShared ? "\(profile.name)/\(beacon.id)" : beacon.id))
        }
    }
}

extension HostedBeacon {
    /// A device as a radio hosts it.
    init(
        _ device: any Device, identifier: BeaconIdentifier, key: String? = nil, site: BeaconSite = BeaconSite()
    ) {
        self.init(
            identifier: identifier, services: device.services, advertisement: device.firstAdvertisement,
            advertisesWhileConnected: device.advertisesWhileConnected, key: key, site: site)
    }
}

extension BeaconSite {
    /// The motion of a beacon, and its powers, which calibrate the RSSI on a virtual air.
    init(_ profile: BeaconDefinition) {
        self.init(
            motion: profile.movement?.motion, measuredPower: profile.device.measuredPower,
            scanResponsePower: profile.device.firstAdvertisement?.scanResponse.measuredPower,
            transmitPower: profile.device.advertising.transmitPower)
    }
}

extension Timekeeper {
    /// The present time for devices.
    var deviceTime: DeviceTime { DeviceTime(uptime: now(), sinceUnixEpoch: .sinceUnixEpoch) }
}
