// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct Reload: Operation {
    package static let name = "reload"
    package static let method = OperationMethod.post
    package static let path = "/v1/reload"
    package static let sentence = "Reads the profiles again; beacons whose definition is the same keep their state."
    package static let failures: [EmulatorError.Code] = [.badProfile, .radio, .cannotCreate, .inputOutput]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.reload()
    }
}
