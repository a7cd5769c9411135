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

    package func perform(on run: RunContext) async throws(EmulatorError) -> Put {
        let (status, isNew) = try await run.emulator.putBeacon(beacon.text, entry.text)
        return Put(beacon: BeaconRecord(status), isNew: isNew)
    }
}

/// A beacon that was added or replaced.
package struct Put: Answer {
    package static let description = AnswerDescription.json(BeaconRecord.schema, [200, 201])

    package let beacon: BeaconRecord
    package let isNew: Bool

    package var content: Content { .json(beacon, isNew: isNew) }
}

extension Put: ReadableAnswer {
    package init(_ response: Response) throws {
        beacon = try BeaconRecord(response)
        isNew = response.status == 201
    }
}
