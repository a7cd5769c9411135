// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListCaptures: Operation {
    package static let name = "listCaptures"
    package static let method = OperationMethod.get
    package static let path = "/v1/captures"
    package static let sentence = "The captures in memory, oldest first."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<CaptureRecord> {
        Listed(await run.emulator.captureRecords)
    }
}
