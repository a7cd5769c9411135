// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Profiles

/// The figures of the runs of a sweep, as numbers only: what a report needs, whatever the order of the runs was.
struct SweepTable {
    /// Why a line is refused.
    enum Refusal: Error {
        /// It is of another sweep.
        case otherSweep
        /// It is of a variant or a seed that the sweep does not have.
        case unknownRun
    }

    let header: SweepHeader
    let seeds: [UInt64]
    private let variantNumbers: [String: Int]
    private let seedNumbers: [UInt64: Int]
    /// Whether there is a result, by the numbers of runs.
    private(set) var isDone: [Bool]
    private(set) var doneCount = 0
    private var columns: [[Double]] = []
    private var columnNumbers: [String: Int] = [:]
    /// The run with the lowest number that has a figure, and the place of the figure among its others, by columns.
    private var firstPlaces: [(run: Int, place: Int, name: String)] = []

    /// - Throws: `ValueFault` if the seeds of the header cannot be read.
    init(_ header: SweepHeader) throws(ValueFault) {
        self.header = header
        seeds = try SeedList(header.seeds).seeds
        variantNumbers = Dictionary(
            header.variants.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        seedNumbers = Dictionary(uniqueKeysWithValues: seeds.enumerated().map { ($1, $0) })
        isDone = Array(repeating: false, count: header.variants.count * seeds.count)
    }

    /// The number of all runs.
    var runCount: Int { isDone.count }

    /// The number of a run: those of a variant follow each other, in the order of the seeds.
    func number(of line: SweepLine) throws(Refusal) -> Int {
        guard line.sweep == header.sweep else { throw .otherSweep }
        guard let variant = variantNumbers[line.variant], let seed = seedNumbers[line.seed] else { throw .unknownRun }
        return variant * seeds.count + seed
    }

    /// The variant of a run.
    func variant(of run: Int) -> Int { run / seeds.count }
    /// The seed of a run.
    func seed(of run: Int) -> UInt64 { seeds[run % seeds.count] }

    /// Adds a result, unless the run has one.
    mutating func add(_ line: SweepLine, of run: Int) {
        guard !isDone[run] else { return }
        isDone[run] = true
        doneCount += 1
        for (place, (name, value)) in line.figures.enumerated() {
            let column = column(of: name)
            columns[column][run] = value ?? .nan
            let first = firstPlaces[column]
            if (run, place) < (first.run, first.place) { firstPlaces[column] = (run, place, name) }
        }
    }

    private mutating func column(of name: String) -> Int {
        if let number = columnNumbers[name] { return number }
        columnNumbers[name] = columns.count
        columns.append(Array(repeating: .nan, count: runCount))
        firstPlaces.append((.max, .max, name))
        return columns.count - 1
    }

    /// The names of the figures, in the order of the first run that has them.
    var figures: [String] {
        firstPlaces.sorted { ($0.run, $0.place, $0.name) < ($1.run, $1.place, $1.name) }.map(\.name)
    }

    /// The values of a figure in the runs of a variant, in the order of the seeds; NaN for runs without one.
    func values(of figure: String, inVariant variant: Int) -> ArraySlice<Double> {
        guard let column = columnNumbers[figure] else { return [] }
        return columns[column][variant * seeds.count..<(variant + 1) * seeds.count]
    }

    /// The seeds of the runs of a variant that have no result.
    func missingSeeds(ofVariant variant: Int) -> [UInt64] {
        seeds.indices.filter { !isDone[variant * seeds.count + $0] }.map { seeds[$0] }
    }
}
