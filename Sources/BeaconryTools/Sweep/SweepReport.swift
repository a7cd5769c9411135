// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the runs of a sweep have shown: each figure of each variant, compared with that of its baseline. It depends on
/// the results only, not on their order.
struct SweepReport {
    /// A figure of a variant.
    struct Row {
        let figure: String
        let variant: String
        let declaration: FigureDeclaration
        let count: Int
        let mean: Double?
        /// The standard deviation; `nil` for rates, whose mean determines it.
        let spread: Double?
        /// The 95 % interval.
        let interval: ClosedRange<Double>?
        /// `nil` for a baseline.
        var comparison: Comparison?
    }

    /// The differences of the runs of a variant from those of its baseline with the same seeds.
    struct Comparison {
        let baseline: String
        let differences: SampleStatistics
        /// The probability of such a difference if there is none, corrected for all comparisons of the report; `nil`
        /// below two pairs.
        var probability: Double?
    }

    /// The limit of `probability` below which a difference is called better or worse.
    private static let limit = 0.05
    /// The number of seeds that are listed.
    private static let shownSeeds = 10

    private let header: SweepHeader
    private let runCount, doneCount: Int
    private let rows: [Row]
    private let missing: [(variant: String, seeds: [UInt64])]

    /// - Parameter shard: the part of the runs that was to be done; missing runs of others are not listed.
    init(_ table: SweepTable, of shard: SweepShard = .whole) {
        header = table.header
        runCount = table.runCount
        doneCount = table.doneCount
        missing = header.variants.indices.compactMap { variant in
            let seeds = shard == .whole ? table.missingSeeds(ofVariant: variant) : []
            return seeds.isEmpty ? nil : (table.header.variants[variant], seeds)
        }
        var rows = table.figures.flatMap { figure in
            table.header.variants.indices.compactMap { Self.row(figure, $0, table) }
        }
        let adjusted = Holm.adjusted(rows.map { $0.comparison?.differences.probability })
        for index in rows.indices { rows[index].comparison?.probability = adjusted[index] }
        self.rows = rows
    }

    /// `nil` if no run has the figure.
    private static func row(_ figure: String, _ variant: Int, _ table: SweepTable) -> Row? {
        let values = table.values(of: figure, inVariant: variant)
        let known = values.filter { !$0.isNaN }
        guard !known.isEmpty else { return nil }
        let declaration = FigureDeclaration.of(figure)
        let statistics = SampleStatistics(known)
        var interval = statistics.interval?.clamped(to: declaration.range)
        if declaration.isRate {
            interval = PassRate(passed: known.count { $0 == 1 }, runs: known.count).interval
        }
        var comparison: Comparison?
        if let baseline = table.header.baselines[variant] {
            let others = table.values(of: figure, inVariant: baseline)
            let differences = zip(values, others).map { $0 - $1 }.filter { !$0.isNaN }
            if !differences.isEmpty {
                comparison = Comparison(
                    baseline: table.header.variants[baseline], differences: SampleStatistics(differences))
            }
        }
        return Row(
            figure: figure, variant: table.header.variants[variant], declaration: declaration, count: known.count,
            mean: statistics.mean, spread: declaration.isRate ? nil : statistics.spread, interval: interval,
            comparison: comparison)
    }

    // MARK: - Text

    private static let titles = [
        "RUNS", "MEAN", "SPREAD", "95 % INTERVAL", "DIFFERENCE", "95 % INTERVAL", "P", "", "VARIANT",
    ]

    /// How to read the tables.
    private static let legend =
        "95 % interval: the mean over all possible seeds is in it, with 95 % confidence (Student's t; of rates, Wilson). "
        + "Differences are from the baseline, in pairs of runs with the same seed, in percentage points for rates; P is "
        + "corrected for all "
        + "comparisons (Holm), and better or worse means that it is below 0.05."

    /// The report for people.
    var lines: [String] {
        var lines = [head] + missingLines
        for figure in figures {
            lines.append(figure)
            lines += table(of: figure).lines.map { "  \($0)" }
        }
        return lines + [Self.legend]
    }

    /// The report in Markdown.
    var markdown: [String] {
        var lines = ["# \(header.name)", "", head] + missingLines.flatMap { ["", $0] }
        for figure in figures {
            lines += ["", "## \(figure)", ""] + table(of: figure).markdown
        }
        return lines + ["", Self.legend]
    }

    private func table(of figure: String) -> TextTable {
        TextTable(rows: [Self.titles] + rows.filter { $0.figure == figure }.map(Self.cells))
    }

    private var figures: [String] {
        var known: Set<String> = []
        return rows.map(\.figure).filter { known.insert($0).inserted }
    }

    private var head: String {
        let runs =
            doneCount == runCount
            ? Formatting.count(runCount, "run") : "\(doneCount) of \(Formatting.count(runCount, "run"))"
        return
            "sweep \(header.name): \(runs), \(Formatting.count(header.variants.count, "variant")), "
            + "seeds \(header.seeds)"
    }

    private var missingLines: [String] {
        missing.map { "missing: \($0.variant) with \(Self.text(ofSeeds: $0.seeds))" }
    }

    private static func text(ofSeeds seeds: [UInt64]) -> String {
        let first = seeds.prefix(shownSeeds).map { "\($0)" }.joined(separator: ", ")
        let more = seeds.count > shownSeeds ? ", … (\(seeds.count) in all)" : ""
        return "seed\(seeds.count == 1 ? "" : "s") \(first)\(more)"
    }

    private static func cells(_ row: Row) -> [String] {
        let declaration = row.declaration
        let comparison = row.comparison
        return [
            "\(row.count)", row.mean.map { declaration.text($0) } ?? "", row.spread.map { declaration.text($0) } ?? "",
            row.interval.map(declaration.text) ?? "",
            comparison?.differences.mean.map(declaration.difference) ?? "",
            comparison?.differences.interval.map(declaration.difference) ?? "",
            comparison?.probability.map(probability) ?? "", verdict(row) ?? "",
            row.variant + (comparison.map { " against \($0.baseline)" } ?? ""),
        ]
    }

    /// `better` or `worse`; `nil` for a difference that may be chance.
    private static func verdict(_ row: Row) -> String? {
        guard let comparison = row.comparison, let probability = comparison.probability, probability < limit,
            let mean = comparison.differences.mean, mean != 0
        else { return nil }
        return (mean > 0) == (row.declaration.better == .higher) ? "better" : "worse"
    }

    private static func probability(_ value: Double) -> String {
        value < 0.0001 ? "<0.0001" : SignificantDigits.text(value, decimals: 4)
    }

    // MARK: - JSON

    /// The records of the report: each figure of each variant, then the sweep.
    func report() {
        for row in rows { Output.report(FigureReport(row, verdict: Self.verdict(row)), as: .json) }
        Output.report(SweepSummary(header, runs: runCount, done: doneCount, missing), as: .json)
    }
}

extension FigureDeclaration {
    /// A value: `96 %`, `1.33 m`.
    func text(_ value: Double) -> String {
        isShare ? PassRate.percent(value) : SignificantDigits.text(value) + (unit.isEmpty ? "" : " \(unit)")
    }

    /// `86.5 to 98.9 %`
    func text(_ interval: ClosedRange<Double>) -> String {
        guard isShare else { return "\(SignificantDigits.text(interval.lowerBound)) to \(text(interval.upperBound))" }
        return "\(PassRate.percent(interval.lowerBound).dropLast(2)) to \(PassRate.percent(interval.upperBound))"
    }

    /// A difference of two values; of shares, in percentage points.
    func difference(_ value: Double) -> String {
        let text = isShare ? SignificantDigits.text(value * 100, decimals: 1) : text(value)
        return value > 0 ? "+\(text)" : text
    }

    func difference(_ interval: ClosedRange<Double>) -> String {
        guard isShare else { return text(interval) }
        let (low, high) = (interval.lowerBound * 100, interval.upperBound * 100)
        return "\(SignificantDigits.text(low, decimals: 1)) to \(SignificantDigits.text(high, decimals: 1))"
    }
}

/// Numbers with a few digits.
enum SignificantDigits {
    /// With four significant digits, or all in front of the point: `1.334`, `0.02123`, `12345`.
    static func text(_ value: Double) -> String {
        guard value != 0, value.isFinite else { return value == 0 ? "0" : "\(value)" }
        return text(value, decimals: min(9, max(0, 3 - Int(floor(log10(abs(value)))))))
    }

    /// With at most this number of decimals, without needless zeros.
    static func text(_ value: Double, decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
        let scaled = (value * scale).rounded()
        guard abs(scaled) < 1e15 else { return "\(value)" }
        let (whole, rest) = Int(abs(scaled)).quotientAndRemainder(dividingBy: Int(scale))
        var fraction = rest == 0 ? "" : String("\(Int(scale) + rest)".dropFirst())
        while fraction.last == "0" { fraction.removeLast() }
        let sign = scaled < 0 ? "-" : ""
        return "\(sign)\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)")
    }

    /// Six significant digits: the same on all machines, whose last digits may differ.
    static func rounded(_ value: Double) -> Double {
        guard value != 0, value.isFinite else { return value }
        let exponent = Int(floor(log10(abs(value))))
        let digits = 5 - exponent
        let scale = pow(10, Double(abs(digits)))
        return digits >= 0 ? (value * scale).rounded() / scale : (value / scale).rounded() * scale
    }
}

/// A figure of a variant, as JSON.
private struct FigureReport: Report {
    struct JSON: Encodable {
        struct Comparison: Encodable {
            let baseline: String
            let pairs: Int
            /// The mean of the differences, and its 95 % interval.
            let difference: Double?
            let interval: [Double]?
            /// Corrected for all comparisons.
            let p: Double?
            let verdict: String?
        }

        let event = "figure"
        let figure, variant: String
        let runs: Int
        let mean, spread: Double?
        let interval: [Double]?
        /// Whether the mean is a rate, from 0 to 1.
        let rate: Bool
        let better: FigureDeclaration.Side
        let comparison: Comparison?
    }

    let json: JSON
    let lines: [String] = []

    init(_ row: SweepReport.Row, verdict: String?) {
        func rounded(_ interval: ClosedRange<Double>?) -> [Double]? {
            interval.map { [$0.lowerBound, $0.upperBound].map(SignificantDigits.rounded) }
        }
        json = JSON(
            figure: row.figure, variant: row.variant, runs: row.count, mean: row.mean.map(SignificantDigits.rounded),
            spread: row.spread.map(SignificantDigits.rounded), interval: rounded(row.interval),
            rate: row.declaration.isRate, better: row.declaration.better,
            comparison: row.comparison.map {
                JSON.Comparison(
                    baseline: $0.baseline, pairs: $0.differences.count,
                    difference: $0.differences.mean.map(SignificantDigits.rounded),
                    interval: rounded($0.differences.interval), p: $0.probability.map(SignificantDigits.rounded),
                    verdict: verdict)
            })
    }
}

/// What was run, as JSON.
private struct SweepSummary: Report {
    struct JSON: Encodable {
        struct Missing: Encodable {
            let variant: String
            let seeds: [UInt64]
        }

        let event = "sweep"
        let name, sweep, version, seeds: String
        let variants: [String]
        /// The number of runs with a result, and of all.
        let done, runs: Int
        let missing: [Missing]
    }

    let json: JSON
    let lines: [String] = []

    init(_ header: SweepHeader, runs: Int, done: Int, _ missing: [(variant: String, seeds: [UInt64])]) {
        json = JSON(
            name: header.name, sweep: header.sweep, version: header.version, seeds: header.seeds,
            variants: header.variants, done: done, runs: runs,
            missing: missing.map { JSON.Missing(variant: $0.variant, seeds: $0.seeds) })
    }
}
