// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import Profiles

/// The results of a scenario with several seeds: how often each expectation was met.
struct ScenarioRates: Sendable {
    /// An expectation, or a change that was refused in some runs.
    struct Row: Sendable {
        /// A run that failed.
        struct Failure: Sendable {
            let seed: UInt64
            let moment: Duration
            /// What happened instead, as a clause.
            let fault: String
        }

        /// The line in the file, counted from 1.
        let line: Int
        let text: String
        /// The required part of the runs, from 0 to 1.
        let required: Double
        let rate: PassRate
        /// The runs that failed, in the order of the seeds.
        let failures: [Failure]

        /// Whether the pass rate is at least the required one.
        var isPassed: Bool { rate.reaches(required) }

        /// The first ten failed seeds: `3, 7, 12`, `1, 2, …, 10, … (50 in all)`.
        var seedList: String {
            let first = failures.prefix(10).map { "\($0.seed)" }.joined(separator: ", ")
            return failures.count > 10 ? "\(first), … (\(failures.count) in all)" : first
        }

        /// `failed with seeds 3, 7; with seed 3 at 12s: it was far`; `nil` if all runs passed.
        var failureText: String? {
            failures.first.map { first in
                "failed with seed\(failures.count == 1 ? "" : "s") \(seedList); with seed \(first.seed) at "
                    + "\(DeviceWriter.text(first.moment)): \(first.fault)"
            }
        }

        /// `passed in 37 of 50 runs: 74 %, 95 % interval 60.4 to 84.1 %, 95 % required`
        var sentence: String {
            "passed in \(rate.passed) of \(Formatting.count(rate.runs, "run")): \(PassRate.percent(rate.rate)), 95 % "
                + "interval \(rate.intervalText), \(PassRate.percent(required)) required"
        }
    }

    let scenario: Scenario
    let seeds: SeedList
    /// Changes that were refused, then the expectations, in the order of the file.
    let rows: [Row]
    /// The sum of the runs, in real time.
    let wallTime: Duration

    /// The rates of a scenario; `nil` without runs.
    /// - Parameter runs: its runs in the order of the seeds.
    init?(_ runs: [TimedResult], seeds: SeedList) {
        guard let scenario = runs.first?.result.scenario else { return nil }
        self.scenario = scenario
        self.seeds = seeds
        wallTime = runs.reduce(.zero) { $0 + $1.wallTime }
        let results = runs.map(\.result)
        rows = Self.changes(results) + scenario.expectations.indices.map { Self.expectation($0, results) }
    }

    /// Whether every expectation reaches its required rate, and no change was refused.
    var isPassed: Bool { rows.allSatisfy(\.isPassed) }

    private static func expectation(_ index: Int, _ results: [ScenarioResult]) -> Row {
        let expectation = results[0].scenario.expectations[index]
        let failures = results.compactMap { result in
            let verdict = result.verdicts[index]
            return verdict.fault.map { Row.Failure(seed: result.seed, moment: verdict.moment, fault: $0) }
        }
        return Row(
            line: expectation.line, text: "\(expectation)", required: expectation.requiredRate,
            rate: PassRate(passed: results.count - failures.count, runs: results.count), failures: failures)
    }

    private static func changes(_ results: [ScenarioResult]) -> [Row] {
        results[0].scenario.steps.compactMap { step in
            let failures = results.compactMap { result in
                result.refusals.first { $0.step == step }.map {
                    Row.Failure(seed: result.seed, moment: step.time, fault: $0.message)
                }
            }
            guard !failures.isEmpty else { return nil }
            return Row(
                line: step.line, text: "\(step.text) at \(DeviceWriter.text(step.time))", required: 1,
                rate: PassRate(passed: results.count - failures.count, runs: results.count), failures: failures)
        }
    }
}

/// The pass rate of an expectation over several seeds, as JSON.
struct RateReport: Report {
    struct JSON: Encodable {
        let event = "expectation"
        let scenario: String
        let file: String
        let line: Int
        let text: String
        /// The number of runs that passed, and of all.
        let passed, runs: Int
        /// From 0 to 1.
        let rate: Double
        /// The 95 % interval, from 0 to 1.
        let interval: [Double]
        let required: Double
        /// Whether the rate is at least the required one.
        let met: Bool
        let failedSeeds: [UInt64]
        /// When and how the first of them failed; absent without one.
        let failure: String?
    }

    let json: JSON
    let lines: [String] = []

    init(_ row: ScenarioRates.Row, of rates: ScenarioRates) {
        func rounded(_ part: Double) -> Double { (part * 10_000).rounded() / 10_000 }
        json = JSON(
            scenario: rates.scenario.name, file: rates.scenario.file, line: row.line, text: row.text,
            passed: row.rate.passed, runs: row.rate.runs, rate: rounded(row.rate.rate),
            interval: [row.rate.interval.lowerBound, row.rate.interval.upperBound].map(rounded),
            required: row.required, met: row.isPassed, failedSeeds: row.failures.map(\.seed),
            failure: row.failures.first.map { "at \(DeviceWriter.text($0.moment)): \($0.fault)" })
    }
}

/// The pass rates of a scenario as a table, and the verdict as JSON.
struct RatesReport: Report {
    struct JSON: Encodable {
        let event = "scenario"
        let scenario: String
        let file: String
        let passed: Bool
        /// In seconds.
        let duration: Double
        let seeds: String
        let runs: Int
    }

    /// How to read the table.
    static let legend =
        "95 % interval: the pass rate of all possible seeds is in it, with 95 % confidence (Wilson). The verdict compares "
        + "the rate of these runs with the required one."

    let json: JSON
    let lines: [String]

    init(_ rates: ScenarioRates) {
        let scenario = rates.scenario
        let count = rates.seeds.seeds.count
        json = JSON(
            scenario: scenario.name, file: scenario.file, passed: rates.isPassed,
            duration: scenario.duration / .seconds(1), seeds: rates.seeds.text, runs: count)
        let runs =
            "\(Formatting.count(count, "run")) of \(DeviceWriter.text(scenario.duration)), seeds \(rates.seeds.text)"
        let below = rates.rows.count { !$0.isPassed }
        let head =
            below == 0
            ? "passed \(scenario.name): \(Formatting.count(rates.rows.count, "expectation")) in \(runs)"
            : "FAILED \(scenario.name): \(below) of \(Formatting.count(rates.rows.count, "expectation")) below the "
                + "required pass rate in \(runs)"
        let table = TextTable(
            rows: [["", "LINE", "PASSED", "RATE", "95 % INTERVAL", "REQUIRED", "EXPECTATION"]]
                + rates.rows.map { row in
                    [
                        row.isPassed ? "  ok" : "  FAILED", "\(row.line)", "\(row.rate.passed)/\(row.rate.runs)",
                        PassRate.percent(row.rate.rate), row.rate.intervalText, PassRate.percent(row.required),
                        row.text,
                    ]
                })
        let failures = rates.rows.compactMap { row in
            row.failureText.map { "\(scenario.file):\(row.line): \($0)" }
        }
        lines = [head] + table.lines + failures
    }
}

extension JUnitSuite {
    /// The expectations of a scenario with their pass rates. Times are the sums of the runs in real time, in equal parts.
    init(_ rates: ScenarioRates) {
        let scenario = rates.scenario
        self.init(
            name: scenario.name, file: scenario.file, time: rates.wallTime,
            cases: rates.rows.map { row in
                let failure = row.isPassed ? nil : row.failureText.map { "\(row.sentence); \($0)" }
                return Case(
                    name: row.text, line: row.line, time: rates.wallTime / rates.rows.count, failure: failure,
                    properties: [
                        Property(name: "passed", value: "\(row.rate.passed)"),
                        Property(name: "runs", value: "\(row.rate.runs)"),
                        Property(name: "failed-seeds", value: row.failures.isEmpty ? "none" : row.seedList),
                    ])
            },
            properties: [
                Property(name: "seeds", value: rates.seeds.text),
                Property(name: "virtual-duration", value: "\(ScenarioReport.seconds(scenario.duration))"),
            ])
    }
}
