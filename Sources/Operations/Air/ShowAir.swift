// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowAir: Operation {
    package static let name = "showAir"
    package static let method = OperationMethod.get
    package static let path = "/v1/air"
    package static let sentence = "The model of the virtual air, with its walls and levels."
    package static let failures: [EmulatorError.Code] = [.unsupported]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> AirRecord {
        try await run.emulator.air.record()
    }
}
