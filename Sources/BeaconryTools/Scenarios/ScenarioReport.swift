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

/// Writes results as JUnit XML, which servers of continuous integration read. Times are those of the scenarios.
package enum JUnitWriter {
    /// The text of the file: a suite for each scenario, a case for each expectation and for each refused change.
    package static func text(_ results: [ScenarioResult]) -> String {
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        let cases = results.map { $0.verdicts.count + $0.refusals.count }
        let failures = results.map { result in
            result.refusals.count + result.verdicts.count { $0.fault != nil }
        }
        lines.append(
            "<testsuites name=\"beaconry\" tests=\"\(cases.reduce(0, +))\" failures=\"\(failures.reduce(0, +))\" errors=\"0\">"
        )
        for (result, (count, failed)) in zip(results, zip(cases, failures)) {
            let scenario = result.scenario
            let time = scenario.duration / .seconds(1)
            lines.append(
                "  <testsuite name=\"\(escaped(scenario.name))\" tests=\"\(count)\" failures=\"\(failed)\" errors=\"0\" "
                    + "skipped=\"0\" time=\"\(time)\">")
            for refusal in result.refusals {
                lines += testCase(
                    refusal.step.text, at: refusal.step.time, line: refusal.step.line, fault: refusal.message, scenario)
            }
            for verdict in result.verdicts {
                lines += testCase(
                    "\(verdict.expectation)", at: verdict.moment, line: verdict.expectation.line, fault: verdict.fault,
                    scenario)
            }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func testCase(
        _ name: String, at moment: Duration, line: Int, fault: String?, _ scenario: Scenario
    ) -> [String] {
        let seconds = (moment / .milliseconds(1)).rounded() / 1000
        let head =
            "    <testcase classname=\"\(escaped(scenario.name))\" name=\"\(escaped(name))\" "
            + "file=\"\(escaped(scenario.file))\" line=\"\(line)\" time=\"\(seconds)\""
        guard let fault else { return [head + "/>"] }
        let message = "at \(ScenarioTime.text(moment)): \(fault)"
        return [
            head + ">", "      <failure message=\"\(escaped(message))\">\(escaped("\(name): \(message)"))</failure>",
            "    </testcase>",
        ]
    }

    /// A text for attributes and elements; characters that XML 1.0 does not have are replaced.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
