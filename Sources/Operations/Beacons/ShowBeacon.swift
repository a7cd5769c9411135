// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowBeacon: Operation {
    package static let name = "showBeacon"
    package static let method = OperationMethod.get
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence = "One beacon with its settings."
    package static let fields: [Field<ShowBeacon>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var beacon = BeaconName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BeaconRecord {
        BeaconRecord(try await run.emulator.show(beacon.text))
    }
}
