// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListBonds: Operation {
    package static let name = "listBonds"
    package static let method = OperationMethod.get
    package static let path = "/v1/bonds"
    package static let sentence = "The bonds of all beacons, or of one."
    package static let fields: [Field<ListBonds>] = [
        .optional("beacon", .query, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var beacon: BeaconName?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<BondRecord> {
        Listed(try await run.emulator.bonds(of: beacon?.text).map(BondRecord.init))
    }
}
