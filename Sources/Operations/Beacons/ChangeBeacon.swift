// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
package import Emulator

package struct ChangeBeacon: ChangingOperation {
    package static let name = "changeBeacon"
    package static let method = OperationMethod.patch
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence =
        "Changes a beacon, or nothing if one of the changes is refused; in this order: settings, position, muting, battery, enabled."
    package static let fields = [Field.required("beacon", .path, \ChangeBeacon.beacon, "the id of a beacon")] + changes
    package static let failures = changeFailures

    package var beacon = BeaconName()
    package var change = BeaconChange()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BeaconRecord {
        BeaconRecord(try await run.emulator.change(beacon.text, change))
    }
}

/// An operation that changes beacons.
package protocol ChangingOperation: Operation {
    var change: BeaconChange { get set }
}

extension ChangingOperation {
    /// The parameters of the change.
    static var changes: [Field<Self>] {
        [
            .optional("settings", .member, \.change.settings, "settings by their keys in profiles"),
            .optional("position", .member, \.change.position, "metres: x, y and, if not 0, the height"),
            .optional(
                "muted", .member, \.change.muting,
                "whether it is muted, or for how long: receivers get none of its packets"),
            .optional("battery", .member, \.change.battery, "the state of its battery"),
            .optional("enabled", .member, \.change.isEnabled, "whether it is switched on"),
        ]
    }

    /// The codes of the errors of the change.
    static var changeFailures: [EmulatorError.Code] {
        [.unknownBeacon, .badProfile, .refusedSetting, .conflict, .radio, .unsupported, .inputOutput]
    }
}
