// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowScenario: Operation {
    package static let name = "showScenario"
    package static let method = OperationMethod.get
    package static let path = "/v1/scenario"
    package static let sentence = "The scenario of the run, or the last one."
    package static let failures: [EmulatorError.Code] = [.noScenario]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ScenarioRecord {
        try await run.emulator.scenarioRecord.required()
    }
}

extension ScenarioRecord? {
    /// - Throws: `EmulatorError` `.noScenario` without one.
    func required() throws(EmulatorError) -> ScenarioRecord {
        if let record = self { return record }
        throw EmulatorError(
            .noScenario, "no scenario was started", hint: "start one (beaconry ctl scenario start FILE)")
    }
}
