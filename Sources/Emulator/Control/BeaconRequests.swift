// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
package import Devices
import Profiles
import Radio
import Space

// The beacons of a run, as clients read them and give them commands, and their schedules.
extension Emulator {
    /// All beacons in the order of the profiles.
    package func list() async -> [BeaconStatus] {
        await untilStable()
        return await statuses(of: roster.beacons)
    }

    /// The beacons of a profile, in its order.
    /// - Parameter profile: its name; `nil` for all profiles. Ignored if the run has one profile.
    /// - Throws: `EmulatorError` `.unknownProfile` if the run has several profiles, and none of this name.
    package func list(of profile: String?) async throws(EmulatorError) -> [BeaconStatus] {
        await untilStable()
        return await statuses(of: try beacons(of: profile))
    }

    /// The beacons of a profile, in its order.
    /// - Parameter profile: its name; `nil` for all profiles. Ignored if the run has one profile.
    /// - Throws: `EmulatorError` `.unknownProfile` if the run has several profiles, and none of this name.
    func beacons(of profile: String?) throws(EmulatorError) -> [RunningBeacon] {
        let names = roster.profileNames
        guard let profile, names.count > 1 else { return roster.beacons }
        guard names.contains(profile) else { throw Self.unknownProfile(profile, among: names) }
        return roster.beacons.filter { $0.profileName == profile }
    }

    /// Returns when the beacons are made and no handover is under way.
    private func untilStable() async {
        await progress.until(.opening)
        await directory.handover?.value
    }

    func statuses(of beacons: [RunningBeacon]) async -> [BeaconStatus] {
        var statuses: [BeaconStatus] = []
        // Other requests do not wait for the statuses of thousands of beacons.
        var pauses = LongWork.Pauses()
        for beacon in beacons {
            await pauses.step()
            statuses.append(await completed(beacon.status))
        }
        return statuses
    }

    /// The beacons of a selection, in the order of the profiles.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there are none, `.unknownProfile`.
    package func show(_ selection: BeaconSelection) async throws(EmulatorError) -> [BeaconStatus] {
        await untilStable()
        return await statuses(of: try selected(selection))
    }

    /// One beacon.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func show(_ name: String) async throws(EmulatorError) -> BeaconStatus {
        await completed(try await running(name).status)
    }

    /// Performs a command of a device.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.badProfile` for arguments that are missing or wrong, or `.refusedSetting`
    ///   if the device refuses it.
    package func perform(_ command: DeviceCommand, on name: String) async throws(EmulatorError) -> BeaconStatus {
        let outcome = await directory.route(to: BeaconIdentifier(name)) { await $0.perform(command) }
        guard let outcome else { throw unknown(name) }
        return await completed(try outcome.get())
    }

    /// The beacon with this name, after a handover that replaces it.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    func running(_ name: String) async throws(EmulatorError) -> RunningBeacon {
        await progress.until(.opening)
        await directory.handover(of: BeaconIdentifier(name))?.value
        return try present(name)
    }

    /// The beacon with this name at this moment.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    func present(_ name: String) throws(EmulatorError) -> RunningBeacon {
        guard let beacon = directory.beacon(BeaconIdentifier(name)) else { throw unknown(name) }
        return beacon
    }

    /// The error for the name of no beacon.
    func unknown(_ name: String) -> EmulatorError {
        EmulatorError(
            .unknownBeacon, "there is no beacon \"\(name)\"", hint: Spelling.hint(name, "beacons", names))
    }

    /// The error for the name of no profile.
    static func unknownProfile(_ name: String, among names: [String]) -> EmulatorError {
        EmulatorError(
            .unknownProfile, "there is no profile \"\(name)\"", hint: Spelling.hint(name, "profiles", names))
    }

    /// A status with the state of the session: advertising, centrals, muting, battery, schedule; and the present position.
    func completed(_ status: BeaconStatus) async -> BeaconStatus {
        var status = status
        status.label = events.labels[status.identifier.name]
        if status.motion?.isMoving == true, let position = await air.position(of: status.identifier.name) {
            status.position = position
        }
        if truth.hasPlaces, let position = status.position { status.room = truth.building.room(at: position)?.id }
        guard let session = roster[status.identifier] else { return status }
        status = session.completed(status)
        status.airState = session.airState(isEnabled: status.isEnabled, isRadioUp: roster.isRadioUp)
        return status
    }
}
