// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct RequestPairing: Operation {
    package static let name = "requestPairing"
    package static let method = OperationMethod.post
    package static let path = "/v1/beacons/{beacon}/pair"
    package static let sentence = "Asks the connected centrals of a beacon to pair."
    package static let fields: [Field<RequestPairing>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .conflict]

    package var beacon = BeaconName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.requestSecurity(of: beacon.text)
        return Nothing()
    }
}
