// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Devices
package import Emulator
package import Profiles

/// `test`: runs scenarios, each in virtual time of its own.
package struct ScenarioTool: Sendable {
    private let scenarios: [Scenario]
    private let format: OutputFormat
    private let junit: String?
    private let estimator: EstimatorChoice?

    /// Reads scenarios.
    /// - Parameters:
    ///   - junit: the JUnit file to write; `nil` for none.
    ///   - estimator: what estimates the places of receivers; `nil` for what each receiver has.
    ///   - files: takes the paths of all files that are read.
    /// - Throws: `ProfileFaults` with the faults of all files; `SystemError` if the JUnit file has no folder.
    package init(
        _ paths: [String], junit: String?, estimator: EstimatorChoice? = nil, as format: OutputFormat,
        noting files: WatchedFiles? = nil
    ) throws {
        scenarios = try Self.load(paths, files)
        // Before the runs, which may take long.
        if let junit { try JUnitSuite.checkFolder(of: junit) }
        self.junit = junit
        self.estimator = estimator
        self.format = format
        for cut in scenarios.flatMap(\.cutTexts) { Output.report(Notice(cut.warning), as: format) }
    }

    /// The number of scenarios.
    package var count: Int { scenarios.count }

    /// Runs each scenario once, and reports it.
    /// - Parameters:
    ///   - seed: the seed of the air; `nil` for the seeds of the scenarios.
    ///   - capture: the file of the HCI traffic, of one scenario only; `nil` for none.
    /// - Throws: `Failure.unmetExpectation` if one of them failed.
    package func run(seed: UInt64?, capture: CaptureFile?) async throws {
        var results: [TimedResult] = []
        try await run(scenarios.map { ($0, seed ?? $0.seed) }, capture) { timed in
            Output.report(ScenarioReport(timed.result), as: format)
            results.append(timed)
        }
        if let junit { try JUnitSuite.write(results.map(JUnitSuite.init), to: junit) }
        guard results.allSatisfy(\.result.isPassed) else { throw Failure.unmetExpectation }
    }

    /// Runs each scenario with each seed, and reports the pass rates of its expectations.
    /// - Throws: `Failure.unmetExpectation` if one of them is below the required rate.
    package func run(seeds: SeedList) async throws {
        var all: [ScenarioRates] = []
        var current: [TimedResult] = []
        try await run(scenarios.flatMap { scenario in seeds.seeds.map { (scenario, $0) } }, nil) { timed in
            current.append(timed)
            guard current.count == seeds.seeds.count, let rates = ScenarioRates(current, seeds: seeds) else { return }
            if format == .json { for row in rates.rows { Output.report(RateReport(row, of: rates), as: format) } }
            Output.report(RatesReport(rates), as: format)
            all.append(rates)
            current = []
        }
        if format == .text { Output.line(RatesReport.legend) }
        if let junit { try JUnitSuite.write(all.map(JUnitSuite.init), to: junit) }
        guard all.allSatisfy(\.isPassed) else { throw Failure.unmetExpectation }
    }

    /// Runs scenarios with their seeds, as many at once as there are processors: each has a simulation of its own, so that
    /// none affects another.
    /// - Parameter report: takes the results in the order of the runs.
    private func run(
        _ runs: [(scenario: Scenario, seed: UInt64)], _ capture: CaptureFile?, _ report: (TimedResult) -> Void
    ) async throws {
        let estimator = estimator
        try await SimulatedRuns.perform(runs) { run in
            let start = ContinuousClock.now
            let result = try await ScenarioResult.run(
                run.scenario, seed: run.seed, estimator: estimator, capture: capture)
            return TimedResult(result: result, wallTime: start.duration(to: .now))
        } _: {
            report($0)
        }
    }

    /// Does work now, and again whenever one of its files has changed, until the process ends. Errors are printed.
    package static func watch(
        _ files: WatchedFiles, as format: OutputFormat, _ work: () async throws -> Void
    ) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        // A change during the work is a reason to do it again.
        let watching = Task { await ProfileWatch(files).run { continuation.yield() } }
        defer { watching.cancel() }
        for await _ in changes {
            do {
                try await work()
            } catch {
                (Failure(error) ?? Failure(exitCode: 70, message: "internal error: \(error)")).report(as: format)
            }
            Output.note("waiting for a change of the files; Ctrl-C ends")
        }
    }

    /// Reads scenarios.
    /// - Parameters:
    ///   - files: takes the paths of all files that are read.
    ///   - needsExpectations: whether each must have expectations.
    /// - Throws: `ProfileFaults` with the faults of all files.
    static func load(
        _ paths: [String], _ files: WatchedFiles? = nil, needsExpectations: Bool = true
    ) throws(ProfileFaults) -> [Scenario] {
        var scenarios: [Scenario] = []
        var faults: [ProfileFault] = []
        for path in paths {
            do throws(ProfileFaults) {
                files?.insert(path)
                let text = try ProfileFiles.text(path, examples: "scenarios/")
                let sources = ProfileFiles.sources(beside: path, noting: files)
                scenarios.append(
                    try Scenario(parsing: text, file: path, sources: sources, needsExpectations: needsExpectations) {
                        profile throws(ProfileFaults) -> Profile in
                        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
                        let full = profile.hasPrefix("/") ? profile : folder + profile
                        files?.insert(full)
                        return try Profile(
                            parsing: try ProfileFiles.text(full), file: full,
                            sources: ProfileFiles.sources(beside: full, noting: files))
                    })
            } catch {
                faults += error.faults
            }
        }
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        return scenarios
    }
}

/// A result, and how long the run took in real time.
struct TimedResult: Sendable {
    let result: ScenarioResult
    let wallTime: Duration
}
