// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import Devices
package import Emulator

package struct ChangeBeacon: Operation {
    package static let name = "changeBeacon"
    package static let method = OperationMethod.patch
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence =
        "Changes a beacon: settings first, all or none, then position, muting, battery and switch."
    package static let fields: [Field<ChangeBeacon>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon"),
        .optional("settings", .member, \.settings, "settings by their keys in profiles"),
        .optional("position", .member, \.position, "metres: x, y and, if not 0, the height"),
        .optional("muted", .member, \.muting, "whether nothing that it sends is received, or for how long"),
        .optional("battery", .member, \.battery, "the state of its battery"),
        .optional("enabled", .member, \.isEnabled, "whether it is switched on"),
    ]
    package static let failures: [EmulatorError.Code] = [
        .unknownBeacon, .badProfile, .refusedSetting, .conflict, .radio, .unsupported, .inputOutput,
    ]

    package var beacon = BeaconName()
    package var settings: Settings?
    package var position: Position?
    package var muting: Muting?
    package var battery: BatteryState?
    package var isEnabled: Bool?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BeaconRecord {
        let (emulator, name) = (run.emulator, beacon.text)
        var last = try await emulator.show(name)
        try requireChange()
        var isChanged: Bool?
        if let settings {
            last = try await emulator.set(name, settings.values)
            isChanged = last.isChanged
        }
        if let position { try await emulator.move(name, to: position) }
        switch muting {
        case .on: last = try await emulator.mute(name, for: nil)
        case .during(let duration): last = try await emulator.mute(name, for: duration)
        case .off: last = try await emulator.unmute(name)
        case nil: break
        }
        if let battery { last = try await emulator.setBattery(name, battery) }
        if let isEnabled { last = try await emulator.setEnabled(name, isEnabled) }
        // It may have been removed since: the changes are made, and saved.
        var changed = (try? await emulator.show(name)) ?? last
        changed.isChanged = isChanged
        return BeaconRecord(changed)
    }

    private func requireChange() throws(EmulatorError) {
        if settings == nil, position == nil, muting == nil, battery == nil, isEnabled == nil {
            throw EmulatorError(
                .badProfile, "the change is empty", hint: "send settings, such as {\"settings\":{\"major\":7}}")
        }
    }
}
