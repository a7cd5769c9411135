// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ChangeBeacons: ChangingOperation {
    package static let name = "changeBeacons"
    package static let method = OperationMethod.patch
    package static let path = "/v1/beacons"
    package static let sentence =
        "Makes the same change to all beacons whose ids match a pattern, or to none if one refuses it."
    package static let fields =
        [
            Field.required("match", .query, \ChangeBeacons.match, "a pattern of ids, such as shelf-*"),
            .optional("profile", .query, \.profile, "the name of a profile"),
        ] + changes

    package static let failures: [EmulatorError.Code] = [.unknownProfile] + changeFailures

    package var match = BeaconPattern()
    package var profile: String?
    package var change = BeaconChange()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<BeaconRecord> {
        Listed(try await run.emulator.change(match.selection(of: profile), change).map(BeaconRecord.init))
    }
}
