// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Concurrency
package import Emulator

package struct SetRate: Operation {
    package static let name = "setRate"
    package static let method = OperationMethod.put
    package static let path = "/v1/clock"
    package static let sentence = "Changes the rate of a clock in virtual time."
    package static let fields: [Field<SetRate>] = [
        .required("rate", .member, \.rate, "seconds of the run in a second; max, or manual to pause the clock")
    ]
    package static let failures: [EmulatorError.Code] = [.realTime]

    package var rate = Simulation.Rate.maximum

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ClockRecord {
        try await run.emulator.changeClock(.rate(rate))
    }
}
