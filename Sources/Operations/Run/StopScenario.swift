// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct StopScenario: Operation {
    package static let name = "stopScenario"
    package static let method = OperationMethod.delete
    package static let path = "/v1/scenario"
    package static let sentence = "Ends the scenario; what it has changed stays."
    package static let failures: [EmulatorError.Code] = [.noScenario]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ScenarioRecord {
        try await run.emulator.stopScenario().required()
    }
}
