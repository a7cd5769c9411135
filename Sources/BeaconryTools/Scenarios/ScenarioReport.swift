// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Profiles

/// The result of a scenario, as JSON and as text.
struct ScenarioReport: Report {
    /// The JSON object.
    struct JSON: Encodable {
        /// One expectation.
        struct Expectation: Encodable {
            let line: Int
            let text: String
            let passed: Bool
            /// When the verdict was certain, in seconds.
            let moment: Double
            /// What happened instead; absent if it was met.
            let actual: String?
        }

        let event = "scenario"
        let scenario: String
        let file: String
        let passed: Bool
        /// In seconds.
        let duration: Double
        let seed: UInt64
        /// The first failure; absent if there is none.
        let failure: String?
        let expectations: [Expectation]
    }

    let json: JSON
    let lines: [String]

    init(_ result: ScenarioResult, seed: UInt64) {
        let scenario = result.scenario
        let failure = result.firstFailure
        json = JSON(
            scenario: scenario.name, file: scenario.file, passed: result.isPassed,
            duration: scenario.duration / .seconds(1), seed: seed,
            failure: failure.map { "at \(ScenarioTime.text($0.moment)): \($0.sentence)" },
            expectations: result.verdicts.map {
                JSON.Expectation(
                    line: $0.expectation.line, text: "\($0.expectation)", passed: $0.fault == nil,
                    moment: ($0.moment / .milliseconds(1)).rounded() / 1000, actual: $0.fault)
            })
        let count = Formatting.count(result.verdicts.count, "expectation")
        if let failure {
            lines = [
                "FAILED \(scenario.name)",
                "\(scenario.file):\(failure.line): at \(ScenarioTime.text(failure.moment)): \(failure.sentence)",
            ]
        } else {
            lines = ["passed \(scenario.name): \(count) in \(ScenarioTime.text(scenario.duration))"]
        }
    }
}

extension JUnitSuite {
    /// The expectations of a scenario, and the changes that were refused. Times are those of the scenario.
    init(_ result: ScenarioResult) {
        let scenario = result.scenario
        func failure(_ moment: Duration, _ fault: String) -> String { "at \(ScenarioTime.text(moment)): \(fault)" }
        let refusals = result.refusals.map {
            Case(
                name: $0.step.text, line: $0.step.line, time: $0.step.time, failure: failure($0.step.time, $0.message))
        }
        let verdicts = result.verdicts.map { verdict in
            Case(
                name: "\(verdict.expectation)", line: verdict.expectation.line, time: verdict.moment,
                failure: verdict.fault.map { failure(verdict.moment, $0) })
        }
        self.init(name: scenario.name, file: scenario.file, time: scenario.duration, cases: refusals + verdicts)
    }
}
