// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct StartScenario: Operation {
    package static let name = "startScenario"
    package static let method = OperationMethod.put
    package static let path = "/v1/scenario"
    package static let sentence = "Performs the timeline of a scenario from now on, instead of a former one."
    package static let fields: [Field<StartScenario>] = [
        .optional("file", .query, \.file, "the path of its file, for messages"),
        .required("text", .text, \.document, "a scenario, see docs/scenarios.md"),
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile]

    package var file: String?
    package var document = Document()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Created<ScenarioRecord> {
        Created(try await run.emulator.startScenario(document.text, file: file))
    }
}
