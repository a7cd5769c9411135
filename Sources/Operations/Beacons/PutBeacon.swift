// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct PutBeacon: Operation {
    package static let name = "putBeacon"
    package static let method = OperationMethod.put
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence = "Adds a beacon, or replaces one, until the next reload."
    package static let fields: [Field<PutBeacon>] = [
        .required(
            "beacon", .path, \.beacon, "its id, or PROFILE/ID; a new one without a profile is added to the first"),
        .required("text", .text, \.entry, "the keys of its entry in a profile, see docs/profiles.md"),
    ]
    package static let failures: [EmulatorError.Code] = [
        .badProfile, .unknownProfile, .conflict, .radio, .cannotCreate, .inputOutput,
    ]

    package var beacon = BeaconName()
    package var entry = Document()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stored<BeaconRecord> {
        let (status, isNew) = try await run.emulator.putBeacon(beacon.text, entry.text)
        return Stored(BeaconRecord(status), isNew: isNew)
    }
}
