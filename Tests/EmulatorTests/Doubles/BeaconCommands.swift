// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import Radio

/// Changes of one kind.
extension Emulator {
    func set(_ name: String, _ values: [String: String]) async throws(EmulatorError) -> BeaconStatus {
        try await change(name, BeaconChange(settings: values))
    }

    func setEnabled(_ name: String, _ isEnabled: Bool) async throws(EmulatorError) -> BeaconStatus {
        try await change(name, BeaconChange(isEnabled: isEnabled))
    }

    func mute(_ name: String, for duration: Duration?) async throws(EmulatorError) -> BeaconStatus {
        try await change(name, BeaconChange(muting: duration.map(BeaconChange.Muting.during) ?? .on))
    }

    func unmute(_ name: String) async throws(EmulatorError) -> BeaconStatus {
        try await change(name, BeaconChange(muting: .off))
    }

    func setBattery(_ name: String, _ state: BatteryState) async throws(EmulatorError) -> BeaconStatus {
        try await change(name, BeaconChange(battery: state))
    }
}
