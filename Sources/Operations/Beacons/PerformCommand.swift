// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
package import Emulator

package struct PerformCommand: Operation {
    package static let name = "performCommand"
    package static let method = OperationMethod.post
    package static let path = "/v1/beacons/{beacon}/commands/{command}"
    package static let sentence = "Performs a command of a device, such as to press its button."
    package static let fields: [Field<PerformCommand>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon"),
        .required("command", .path, \.command, "the name of a command of this kind of device"),
        .optional("arguments", .object, \.arguments, "its arguments by name"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .badProfile, .refusedSetting]

    package var beacon = BeaconName()
    package var command = ""
    package var arguments: [String: String]?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BeaconRecord {
        let wanted = DeviceCommand(command, arguments ?? [:])
        return BeaconRecord(try await run.emulator.perform(wanted, on: beacon.text))
    }
}
