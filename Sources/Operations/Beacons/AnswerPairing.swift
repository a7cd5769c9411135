// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import Radio

package struct AnswerPairing: Operation {
    package static let name = "answerPairing"
    package static let method = OperationMethod.post
    package static let path = "/v1/beacons/{beacon}/pair/answer"
    package static let sentence = "Answers the question of a pairing."
    package static let fields: [Field<AnswerPairing>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon"),
        .required("answer", .member, \.answer, "accept, reject, cancel, or the six digits of a passkey"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .conflict]

    package var beacon = BeaconName()
    package var answer = PairingAnswer.cancel

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.answerPairing(answer, of: beacon.text)
        return Nothing()
    }
}
