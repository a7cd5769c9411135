// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListBeacons: Operation {
    package static let name = "listBeacons"
    package static let method = OperationMethod.get
    package static let path = "/v1/beacons"
    package static let sentence = "All beacons, or those of a profile, in the order of the profiles."
    package static let fields: [Field<ListBeacons>] = [
        .optional("profile", .query, \.profile, "the name of a profile")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownProfile]

    package var profile: String?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<BeaconRecord> {
        Listed(try await run.emulator.list(of: profile).map(BeaconRecord.init))
    }
}
