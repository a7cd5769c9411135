// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListBeacons: Operation {
    package static let name = "listBeacons"
    package static let method = OperationMethod.get
    package static let path = "/v1/beacons"
    package static let sentence =
        "All beacons, or only the beacons of a profile or with ids that match a pattern, in the order of the profiles."
    package static let fields: [Field<ListBeacons>] = [
        .optional("match", .query, \.match, "a pattern of ids, such as shelf-*"),
        .optional("profile", .query, \.profile, "the name of a profile"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownProfile, .unknownBeacon]

    package var match: BeaconPattern?
    package var profile: String?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<BeaconRecord> {
        let statuses =
            if let match {
                try await run.emulator.show(match.selection(of: profile))
            } else {
                try await run.emulator.list(of: profile)
            }
        return Listed(statuses.map(BeaconRecord.init))
    }
}
