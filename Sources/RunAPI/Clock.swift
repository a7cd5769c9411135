// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Concurrency
package import Emulator
package import JSON

package struct ShowClock: Operation {
    package static let name = "showClock"
    package static let method = OperationMethod.get
    package static let path = "/v1/clock"
    package static let sentence = "The clock of the run."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ClockRecord {
        await run.emulator.clockRecord
    }
}

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

    package var patience: Duration? { nil }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ClockRecord {
        try await run.emulator.changeClock(.advance(time))
    }
}

extension ClockRecord: ReadableRecord {
    package static let schema = Schema.record(
        "Clock",
        [
            .required("elapsed", .number, "seconds since the beginning of the run"),
            .required("rate", .text, "max, manual, or seconds of the run in a second"),
            .optional("virtual", .boolean, "true in virtual time, in which the clock can be changed"),
        ])
}
