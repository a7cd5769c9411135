// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

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
