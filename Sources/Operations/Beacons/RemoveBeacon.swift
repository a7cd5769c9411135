// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct RemoveBeacon: Operation {
    package static let name = "removeBeacon"
    package static let method = OperationMethod.delete
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence = "Removes a beacon, until the next reload."
    package static let fields: [Field<RemoveBeacon>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .radio, .cannotCreate, .inputOutput]

    package var beacon = BeaconName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.removeBeacons(.named(beacon.text))
    }
}
