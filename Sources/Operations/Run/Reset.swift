// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct Reset: Operation {
    package static let name = "reset"
    package static let method = OperationMethod.post
    package static let path = "/v1/reset"
    package static let sentence =
        "Reads the profiles again, and starts all over, without saved settings, bonds and connections."
    package static let failures: [EmulatorError.Code] = [.badProfile, .radio, .cannotCreate, .inputOutput]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.reset()
    }
}
