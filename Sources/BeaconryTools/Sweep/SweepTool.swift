// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import FoundationEssentials
import Glibc
import JSON
import Persistence
package import Profiles
import Synchronization
import SystemPackage
import UnixSignals

/// The form of the report of a sweep.
package enum SweepForm: Hashable, Sendable {
    case text
    case json
    case markdown

    func print(_ report: SweepReport) {
        switch self {
        case .text: Output.lines(report.lines)
        case .json: report.report()
        case .markdown: Output.lines(report.markdown)
        }
    }
}

/// `sweep`: runs a scenario in variants with many seeds.
package struct SweepTool {
    private let plan: SweepPlan
    private let output: String?

    /// Reads a spec, and its scenario in all variants.
    /// - Parameters:
    ///   - output: the file of the results, which is continued; `nil` for none.
    ///   - estimator: an estimator in the place of the one of the spec; `nil` for that.
    ///   - version: the version of the program.
    package init(_ spec: String, output: String?, estimator: EstimatorChoice? = nil, version: String) throws {
        plan = try SweepPlan(reading: spec, estimator: estimator, version: version)
        self.output = output
    }

    /// Prints what other processes need to do the runs that have no result: one JSON object.
    package func printPlan(_ shard: SweepShard) throws {
        var table = try SweepTable(plan.header)
        if let output { try SweepOutput(output, for: &table).close() }
        var order = SweepOrder(
            variants: plan.spec.variants.count, seeds: table.seeds.count, shard: shard, isDone: table.isDone)
        var runs: [String] = []
        while let run = order.next() { runs.append("\(table.variant(of: run)) \(table.seed(of: run))") }
        Output.line(JSONLine.encode(PlanRecord(header: plan.header.line, copy: JSONLine.encode(plan.copy), runs: runs)))
    }

    private struct PlanRecord: Encodable {
        let v = 1
        /// The first line of a file of results.
        let header: String
        /// The first line of the input of a worker.
        let copy: String
        /// The next lines of its input: the number of a variant, and a seed.
        let runs: [String]
    }

    /// What the processes share: the results.
    private final class Results: Sendable {
        private struct State {
            var table: SweepTable
            var output: SweepOutput?
            var progress: ProgressBar
            var done = 0
        }

        private let state: Mutex<State>
        private let count: Int
        private let start = ContinuousClock.now

        init(_ table: SweepTable, _ output: SweepOutput?, count: Int, showsProgress: Bool) {
            state = Mutex(State(table: table, output: output, progress: ProgressBar(isShown: showsProgress)))
            self.count = count
        }

        func take(_ line: String) throws {
            guard let node = try? JSONNode(parsing: Array(line.utf8), .own), let result = SweepLine(node) else {
                throw Failure(exitCode: 70, message: "internal error: \"\(line)\" is no result of a run")
            }
            try state.withLock { state in
                let run = try state.table.number(of: result)
                try state.output?.write(line)
                state.table.add(result, of: run)
                state.done += 1
                let fraction = Double(state.done) / Double(count)
                state.progress.show(fraction, left: start.duration(to: .now) * (1 / fraction - 1))
            }
        }

        func finish() { state.withLock { $0.progress.finish() } }
        var table: SweepTable { state.withLock { $0.table } }
    }

    /// Does the runs that have no result, and prints the report.
    /// - Parameters:
    ///   - jobs: the number of processes; `nil` for one a processor.
    ///   - shard: the part of the runs.
    package func run(jobs: Int?, _ shard: SweepShard, as form: SweepForm) async throws {
        var table = try SweepTable(plan.header)
        let file: SweepOutput?
        if let output { file = try SweepOutput(output, for: &table) } else { file = nil }
        let order = SweepOrder(
            variants: plan.spec.variants.count, seeds: table.seeds.count, shard: shard, isDone: table.isDone)
        var counted = order
        var count = 0
        while counted.next() != nil { count += 1 }
        if table.doneCount > 0, let output {
            Output.note(
                "\(output) has \(Formatting.count(table.doneCount, "result")); \(Formatting.count(count, "run")) to do")
        }
        let (seeds, total) = (table.seeds, count)
        let results = Results(table, file, count: count, showsProgress: true)
        let crew = SweepCrew(plan, order, seeds: seeds)
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let processes = min(jobs ?? processors, max(1, count))
        // A process that has ended reads nothing.
        Glibc.signal(SIGPIPE, SIG_IGN)
        let ending = try await Self.untilSignal {
            defer { results.finish() }
            if total > 0 { try await crew.run(jobs: processes) { try results.take($0) } }
        }
        if let ending { throw Self.interruption(ending, done: results.table.doneCount, of: table.runCount, output) }
        form.print(SweepReport(results.table, of: shard))
        let crashed = crew.crashed.count
        guard crashed == 0 else {
            throw Failure(
                exitCode: 70,
                message:
                    "internal error: \(Formatting.count(crashed, "run")) ended the process that did "
                    + "\(crashed == 1 ? "it" : "them"); please report it"
            )
        }
    }

    /// Does work until it ends, or a signal arrives that ends the command.
    /// - Returns: the signal; `nil` if the work has ended.
    private static func untilSignal(_ work: @escaping @Sendable () async throws -> Void) async throws -> Int32? {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask {
                for await signal in signals { return signal == .sigint ? SIGINT : SIGTERM }
                return nil
            }
            group.addTask {
                try await work()
                return nil
            }
            defer { group.cancelAll() }
            let first = try await group.next() ?? nil
            group.cancelAll()
            if first != nil {
                // Errors of cancelled work do not count.
                while (try? await group.next()) != nil {}
            }
            return first
        }
    }

    private static func interruption(_ signal: Int32, done: Int, of count: Int, _ output: String?) -> Failure {
        let advice =
            output.map { "the results are in \($0), and the same command continues" }
            ?? "with --output FILE a sweep can be continued"
        return Failure(exitCode: 128 + signal, message: "ended after \(done) of \(count) runs; \(advice)")
    }
}
