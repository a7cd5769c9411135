// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Devices
package import Profiles
package import Receiving

/// `survey`: where an estimator has what moves, beside where it is.
package struct SurveyTool: Sendable {
    /// What is surveyed, and how.
    package struct Settings: Sendable {
        /// The estimator.
        package var estimator: EstimatorChoice
        /// The version of the program, for the report.
        let version: String
        /// The seeds; `nil` for the seed of the scenario.
        package var seeds: SeedList?
        /// Whether the estimates are also made without each anchor.
        package var leavesOut = true
        /// A file of an earlier survey, with which this one is compared; `nil` for none.
        package var baseline: String?
        /// The file of a drawing; `nil` for none.
        package var plot: String?
        var options = SurveySubject.Options()

        /// - Parameters:
        ///   - version: that of the program, for the report.
        ///   - period: the time from one estimate to the next.
        ///   - phone: the phone of the receivers; `nil` for their own.
        ///   - grid: the distance between the places of a grid, in metres; `nil` for half a metre.
        ///   - dwell: the time at each place of a grid; `nil` for 10 s.
        ///   - duration: the time of a profile's walk; `nil` for that of the longest path.
        package init(
            _ estimator: EstimatorChoice, version: String, period: Duration, phone: PhoneModel?, grid: Double?,
            dwell: Duration?,
            duration: Duration?
        ) {
            self.estimator = estimator
            self.version = version
            options = SurveySubject.Options(
                period: period, phone: phone, grid: grid, dwell: dwell, duration: duration)
        }
    }

    /// The form of the result.
    package enum Form: Sendable {
        case report(OutputFormat)
        case markdown
    }

    private let subject: SurveySubject
    private let settings: Settings
    private let baseline: SurveyBaseline?

    /// Reads a scenario or a profile.
    /// - Throws: `ProfileFaults` with the faults of the file; `Failure` if nothing in it can be surveyed.
    package init(_ path: String, _ settings: Settings) throws {
        baseline = try settings.baseline.map { try SurveyBaseline($0) }
        let text = try ProfileFiles.text(path, examples: "scenarios/")
        if Scenario.isScenario(text) {
            let scenario = try ScenarioTool.load([path], needsExpectations: false)[0]
            subject = try SurveySubject(scenario, settings.options)
        } else {
            subject = try SurveySubject(ProfileFiles.load([path])[0], file: path, settings.options)
        }
        self.settings = settings
        // Before the runs, which may take long.
        try baseline?.check(seeds)
    }

    private var seeds: [UInt64] { settings.seeds?.seeds ?? [subject.seed] }

    /// Runs it with each seed, and reports the figures.
    /// - Throws: `Failure.unmetExpectation` if it is worse than the baseline.
    package func run(as form: Form) async throws {
        let (subject, settings) = (subject, settings)
        let jobs = seeds.flatMap { seed in subject.scenarios.indices.map { (seed: seed, index: $0) } }
        var present: [SurveyEstimates] = []
        var runs: [SurveyRun] = []
        try await SimulatedRuns.perform(jobs) { job in
            let (scenario, plan) = subject.scenarios[job.index]
            let recording = try await Simulation.run { clock in
                try await ScenarioRunner(clock: clock).run(scenario, seed: job.seed, surveying: plan)
            }
            guard let trace = recording.survey else { preconditionFailure("a survey is recorded") }
            let estimates = try await SurveyEstimates(trace, by: settings.estimator, leavesOut: settings.leavesOut)
            return (job.seed, estimates)
        } _: { seed, estimates in
            present.append(estimates)
            guard present.count == subject.scenarios.count else { return }
            runs.append(SurveyRun(present, seed: seed))
            present = []
        }
        let report = SurveyReport(subject, settings, runs, comparedWith: baseline)
        if let plot = settings.plot { try SurveyChart(subject, runs).write(to: plot) }
        switch form {
        case .report(let format): Output.report(report, as: format)
        case .markdown: Output.lines(report.markdown)
        }
        if report.isWorse { throw Failure.unmetExpectation }
    }
}
