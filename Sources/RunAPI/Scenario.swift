// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import JSON

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

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Created<ScenarioRecord> {
        Created(try await run.emulator.startScenario(document.text, file: file))
    }
}

package struct StopScenario: Operation {
    package static let name = "stopScenario"
    package static let method = OperationMethod.delete
    package static let path = "/v1/scenario"
    package static let sentence = "Ends the scenario; what it has changed stays."
    package static let failures: [EmulatorError.Code] = [.noScenario]

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ScenarioRecord {
        try await run.emulator.stopScenario().required()
    }
}

extension ScenarioRecord: ReadableRecord {
    private static let change = Schema.record(
        "Change",
        [
            .required("at", .number, "seconds since the start of the scenario"),
            .required("change", .text, "the change, as in the scenario"),
            .optional("message", .text, "why it was refused"),
        ])

    package static let schema = Schema.record(
        "Scenario",
        [
            .version, .required("scenario", .text, "its name"),
            .required("state", .choice(State.self), "what it does"),
            .required("elapsed", .number, "seconds of the run since its start"),
            .required("duration", .number, "its duration in seconds"),
            .required("changes", .integer, "the number of changes"),
            .required("done", .integer, "the number of changes that were done or refused"),
            .optional("next", change, "the next change"),
            .required("refused", .array(change), "the changes that were refused"),
            .optional("ignored", .texts, "the keys of the scenario that have no effect on a run"),
        ])
}
