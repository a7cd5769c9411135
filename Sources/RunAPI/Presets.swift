// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import JSON
import Receiving
import Space

package struct ListPresets: Operation {
    package static let name = "listPresets"
    package static let method = OperationMethod.get
    package static let path = "/v1/presets"
    package static let sentence =
        "What can be chosen by its name: phones, physics, and the scenarios whose timelines fit the beacons of the run."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> PresetsRecord {
        PresetsRecord(
            phones: PhoneModel.names, physics: Propagation.environments.map(\.name) + ["off"],
            scenarios: await run.emulator.fitting(run.scenarios()))
    }
}

package struct ShowPresetScenario: Operation {
    package static let name = "showPresetScenario"
    package static let method = OperationMethod.get
    package static let path = "/v1/presets/scenarios/{file}"
    package static let sentence = "The text of one of these scenarios, which PUT /v1/scenario takes."
    package static let fields: [Field<ShowPresetScenario>] = [
        .required("file", .path, \.file, "the name of its file")
    ]
    package static let failures: [EmulatorError.Code] = [.noScenario]

    package var file = ""

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ScenarioText {
        guard let found = run.scenarios().first(where: { $0.file == file }) else {
            throw EmulatorError(
                .noScenario, "there is no scenario \"\(file)\"", hint: "GET /v1/presets lists the scenarios")
        }
        return ScenarioText(text: found.text)
    }
}

/// A scenario in YAML.
package struct ScenarioText: Answer {
    private static let type = "application/yaml"
    package static let description = AnswerDescription(statuses: [200], type: type, schema: nil)

    let text: String
    package var content: Content { .bytes(BytesContent([Array(text.utf8)], type: Self.type, isShared: false)) }
}

/// What can be chosen by its name, as JSON.
package struct PresetsRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    package let phones: [String]
    package let physics: [String]
    package let scenarios: [FittingScenario]

    init(phones: [String], physics: [String], scenarios: [FittingScenario]) {
        self.phones = phones
        self.physics = physics
        self.scenarios = scenarios
    }
}

extension PresetsRecord: Record {
    package static let schema = Schema.record(
        "Presets",
        [
            .version, .required("phones", .texts, "the presets of phones"),
            .required("physics", .texts, "the presets of physics"),
            .required(
                "scenarios",
                .array(
                    .object([
                        .required("file", .text, "the name of the file"),
                        .required("scenario", .text, "the name of the scenario"),
                        .required("summary", .text, "the comment at its beginning"),
                        .required("changes", .integer, "the number of its changes"),
                        .required("duration", .number, "its duration in seconds"),
                    ])), "the scenarios that can be performed on the run"),
        ])
}
