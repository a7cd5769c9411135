// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct AdvanceClock: Operation {
    package static let name = "advanceClock"
    package static let method = OperationMethod.post
    package static let path = "/v1/clock/advance"
    package static let sentence = "Advances a paused clock, and returns when the run has reached that time."
    package static let fields: [Field<AdvanceClock>] = [
        .required("by", .member, \.time, "a duration, such as 30s")
    ]
    package static let failures: [EmulatorError.Code] = [.realTime, .conflict]

    package var time = Duration.zero

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ClockRecord {
        try await run.emulator.changeClock(.advance(time))
    }
}
