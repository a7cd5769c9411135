// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct RemoveBeacons: Operation {
    package static let name = "removeBeacons"
    package static let method = OperationMethod.delete
    package static let path = "/v1/beacons"
    package static let sentence = "Removes all beacons whose ids match a pattern, until the next reload."
    package static let fields: [Field<RemoveBeacons>] = [
        .required("match", .query, \.match, "a pattern of ids, such as shelf-*"),
        .optional("profile", .query, \.profile, "the name of a profile"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownProfile] + RemoveBeacon.failures

    package var match = BeaconPattern()
    package var profile: String?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.removeBeacons(match.selection(of: profile))
    }
}
