// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
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

        /// A change that was refused.
        struct Refusal: Encodable {
            let line: Int
            /// In seconds.
            let at: Double
            let change: String
            let message: String
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
        /// Absent if there are none.
        let refused: [Refusal]?
    }

    let json: JSON
    let lines: [String]

    init(_ result: ScenarioResult) {
        let scenario = result.scenario
        let problems = result.problems
        json = JSON(
            scenario: scenario.name, file: scenario.file, passed: result.isPassed,
            duration: scenario.duration / .seconds(1), seed: result.seed,
            failure: problems.first.map { "at \(DeviceWriter.text($0.moment)): \($0.sentence)" },
            expectations: result.verdicts.map {
                JSON.Expectation(
                    line: $0.expectation.line, text: "\($0.expectation)", passed: $0.fault == nil,
                    moment: Self.seconds($0.moment), actual: $0.fault)
            },
            refused: result.refusals.isEmpty
                ? nil
                : result.refusals.map {
                    JSON.Refusal(
                        line: $0.step.line, at: Self.seconds($0.step.time), change: $0.step.text, message: $0.message)
                })
        let place = "in \(DeviceWriter.text(scenario.duration)), seed \(result.seed)"
        let count = Formatting.count(result.verdicts.count, "expectation")
        guard !problems.isEmpty else {
            lines = ["passed \(scenario.name): \(count) \(place)"]
            return
        }
        let unmet = result.verdicts.count { $0.fault != nil }
        let refused =
            result.refusals.isEmpty ? "" : ", \(Formatting.count(result.refusals.count, "change")) refused"
        lines =
            ["FAILED \(scenario.name): \(unmet) of \(count) not met\(refused) \(place)"]
            + problems.map {
                "\(scenario.file):\($0.line): at \(DeviceWriter.text($0.moment)): \($0.sentence)"
            }
    }

    /// To the millisecond.
    static func seconds(_ time: Duration) -> Double { (time / .milliseconds(1)).rounded() / 1000 }
}

extension JUnitSuite {
    /// The expectations of a scenario, and the changes that were refused. Each has an equal part of the real time of
    /// the run; the times of the scenario are properties.
    init(_ timed: TimedResult) {
        let result = timed.result
        let scenario = result.scenario
        let count = result.refusals.count + result.verdicts.count
        func failure(_ moment: Duration, _ fault: String) -> String {
            "at \(DeviceWriter.text(moment)): \(fault) (seed \(result.seed))"
        }
        func properties(_ moment: Duration) -> [Property] {
            [Property(name: "virtual-time", value: "\(ScenarioReport.seconds(moment))")]
        }
        let refusals = result.refusals.map {
            Case(
                name: $0.step.text, line: $0.step.line, time: timed.wallTime / count,
                failure: failure($0.step.time, $0.message), properties: properties($0.step.time))
        }
        let verdicts = result.verdicts.map { verdict in
            Case(
                name: "\(verdict.expectation)", line: verdict.expectation.line, time: timed.wallTime / count,
                failure: verdict.fault.map { failure(verdict.moment, $0) }, properties: properties(verdict.moment))
        }
        self.init(
            name: scenario.name, file: scenario.file, time: timed.wallTime, cases: refusals + verdicts,
            properties: [
                Property(name: "seed", value: "\(result.seed)"),
                Property(name: "virtual-duration", value: "\(ScenarioReport.seconds(scenario.duration))"),
            ])
    }
}
