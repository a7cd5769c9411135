// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import FoundationEssentials
import Glibc
import JSON
import Synchronization

/// Processes that do the runs of a sweep at the same time.
///
/// A run whose process ends is done again, once, by another process. One that ends this process as well has no result,
/// and the sweep goes on.
final class SweepCrew: Sendable {
    /// The number of runs that are given to a process at once.
    private static let batch = 4
    /// The number of attempts of each run.
    private static let attempts = 2

    private struct State {
        var order: SweepOrder
        /// Runs that are done again, with the number of attempts.
        var again: [(run: Int, attempts: Int)] = []
        var crashed: [Int] = []
    }

    private let plan: SweepPlan
    private let seeds: [UInt64]
    private let state: Mutex<State>

    init(_ plan: SweepPlan, _ order: SweepOrder, seeds: [UInt64]) {
        self.plan = plan
        self.seeds = seeds
        state = Mutex(State(order: order))
    }

    /// The runs without a result, because they end the process.
    var crashed: [Int] { state.withLock { $0.crashed.sorted() } }

    /// Does all runs.
    /// - Parameters:
    ///   - jobs: the number of processes.
    ///   - take: takes each line, on any task.
    /// - Throws: what `take` throws; `Failure` for a run that cannot be done.
    func run(jobs: Int, _ take: @escaping @Sendable (String) throws -> Void) async throws {
        let copy = JSONLine.encode(plan.copy)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs { group.addTask { try await self.work(copy, take) } }
            try await group.waitForAll()
        }
    }

    private func nextBatch() -> [(run: Int, attempts: Int)] {
        state.withLock { state in
            // Alone, so that it is known which one ends the process.
            if let again = state.again.popLast() { return [again] }
            var runs: [(run: Int, attempts: Int)] = []
            while runs.count < Self.batch, let run = state.order.next() { runs.append((run, 0)) }
            return runs
        }
    }

    /// Works with one process after the other, until there are no more runs.
    private func work(_ copy: String, _ take: (String) throws -> Void) async throws {
        var process: SweepProcess?
        var lines: AsyncStream<String>.Iterator?
        while case let batch = nextBatch(), !batch.isEmpty {
            try Task.checkCancellation()
            if process == nil {
                let started = try SweepProcess(copy)
                (process, lines) = (started, started.lines.makeAsyncIterator())
            }
            for (run, _) in batch { process?.send("\(run / seeds.count) \(seeds[run % seeds.count])") }
            var waiting = batch[...]
            while let (run, attempts) = waiting.first {
                guard let line = await lines?.next() else {
                    // Also when the task is cancelled.
                    try Task.checkCancellation()
                    if let end = await process?.end { note(end, run, attempts + 1) }
                    state.withLock { $0.again += waiting.dropFirst() }
                    (process, lines) = (nil, nil)
                    break
                }
                if line.hasPrefix("{\"error\""),
                    let trouble = try? JSONDecoder().decode(SweepWorker.Trouble.self, from: Data(line.utf8))
                {
                    throw Failure(exitCode: trouble.exitCode, message: "\(name(of: run)): \(trouble.error)")
                }
                try take(line)
                waiting = waiting.dropFirst()
            }
        }
        process?.send("")
        _ = await process?.end
    }

    /// Notes that a process has ended that had a run to do.
    private func note(_ end: SweepProcess.End, _ run: Int, _ attempts: Int) {
        guard attempts >= Self.attempts else { return state.withLock { $0.again.append((run, attempts)) } }
        state.withLock { $0.crashed.append(run) }
        let how =
            switch end {
            case .exited(let code): "exited with code \(code)"
            case .killed(let signal): "was ended by signal \(signal)"
            }
        Output.note("beaconry: the process of \(name(of: run)) \(how), twice; the run has no result")
    }

    private func name(of run: Int) -> String {
        "\(plan.header.variants[run / seeds.count]) with seed \(seeds[run % seeds.count])"
    }
}

/// The order of runs: all variants with some seeds, then with the next ones. So a sweep that was ended early has pairs
/// of all variants, and the runs of a scenario follow each other.
struct SweepOrder {
    private static let block = 16

    private let variants, seeds: Int
    private let shard: SweepShard
    private let isDone: [Bool]
    private var position = 0

    /// - Parameter isDone: whether a run has a result already, by its number.
    init(variants: Int, seeds: Int, shard: SweepShard, isDone: [Bool]) {
        self.variants = variants
        self.seeds = seeds
        self.shard = shard
        self.isDone = isDone
    }

    /// The next run; `nil` after the last one.
    mutating func next() -> Int? {
        while position < variants * seeds {
            let block = position / (Self.block * variants)
            let length = min(Self.block, seeds - block * Self.block)
            let inner = position - block * Self.block * variants
            let (variant, offset) = inner.quotientAndRemainder(dividingBy: length)
            let seed = block * Self.block + offset
            position += 1
            let run = variant * seeds + seed
            if shard.contains(variant: variant, seed: seed), !isDone[run] { return run }
        }
        return nil
    }
}

/// A part of the runs of a sweep: `2/5` is the second of five.
package struct SweepShard: Hashable, Sendable {
    private let number, count: Int

    /// All runs.
    package static let whole = SweepShard(number: 1, count: 1)

    private init(number: Int, count: Int) {
        self.number = number
        self.count = count
    }

    /// Each part has as many runs of each variant as the others, but one.
    func contains(variant: Int, seed: Int) -> Bool { (variant + seed) % count == number - 1 }
}

extension SweepShard {
    /// The greatest number of parts.
    private static let maximumCount = 100_000

    /// Reads `2/5`.
    package init(_ text: String) throws(ValueFault) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]),
            (1...Self.maximumCount).contains(count)
        else {
            throw ValueFault("\"\(text)\" is not a part of the runs; write 1/4 for the first of four")
        }
        guard (1...count).contains(number) else {
            throw ValueFault("\(text) is no part: the parts of \(count) are 1/\(count) to \(count)/\(count)")
        }
        self.init(number: number, count: count)
    }
}
