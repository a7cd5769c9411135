// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON
import Profiles

/// The figures of a survey, as JSON, as a table, and in Markdown.
struct SurveyReport: Report {
    /// The JSON object.
    struct JSON: Encodable {
        /// The figures of one room, of one subject, or without one anchor.
        struct Part: Encodable {
            let name: String
            let figures: [String: Double]
        }

        /// The figures of one seed.
        struct Run: Encodable {
            let seed: UInt64
            let figures: [String: Double]
        }

        let event = "survey"
        let name: String
        let file: String
        let version: String
        let estimator: String
        let surveyed: String
        /// The mean of all seeds; a figure that no run has is absent.
        let figures: [String: Double]
        /// The 95 % intervals of these means, the lower end and the upper one; absent with one seed.
        let intervals: [String: [Double]]?
        /// The number of samples of all seeds.
        let samples: Int
        let subjects: [Part]
        let rooms: [Part]
        let without: [Part]
        /// The shares of the samples in a room (the first key) with a room as the estimate (the second; `none` for none).
        let confusion: [String: [String: Double]]
        let runs: [Run]
    }

    let json: JSON
    private let table: [[String]]
    private let confusion: [[String]]
    private let heading: String
    private let comparison: [SurveyBaseline.Difference]
    /// Whether a figure is worse than that of the baseline.
    var isWorse: Bool { comparison.contains(where: \.isWorse) }

    init(
        _ subject: SurveySubject, _ settings: SurveyTool.Settings, _ runs: [SurveyRun],
        comparedWith baseline: SurveyBaseline?
    ) {
        let all = SurveyReport.mean(runs.map(\.figures))
        let rooms = SurveyReport.parts(runs.map(\.rooms))
        let subjects = SurveyReport.parts(runs.map(\.subjects))
        let without = SurveyReport.parts(runs.map(\.without))
        var counts: [String: [String: Int]] = [:]
        for run in runs {
            for (room, estimates) in run.confusion { counts[room, default: [:]].merge(estimates) { $0 + $1 } }
        }
        let shares = counts.mapValues { estimates in
            let sum = estimates.values.reduce(0, +)
            return Dictionary(
                uniqueKeysWithValues: estimates.map {
                    ($0.key.isEmpty ? "none" : $0.key, Double($0.value) / Double(sum))
                })
        }
        let intervals = SurveyReport.intervals(runs.map(\.figures))
        json = JSON(
            name: subject.name, file: subject.file, version: settings.version,
            estimator: "\(settings.estimator)", surveyed: subject.summary, figures: all,
            intervals: runs.count > 1 ? intervals.mapValues { [$0.lowerBound, $0.upperBound] } : nil,
            samples: runs.reduce(0) { $0 + $1.figures.samples }, subjects: subjects, rooms: rooms, without: without,
            confusion: shares, runs: runs.map { JSON.Run(seed: $0.seed, figures: $0.figures.values) })
        comparison = baseline?.differences(from: runs) ?? []
        let seeds =
            runs.count == 1 ? "seed \(runs[0].seed) (--seeds 1..20 has intervals)" : "the mean of \(runs.count) seeds"
        heading = "\(subject.name): \(subject.summary), \(settings.estimator), physics \(subject.physics), \(seeds)"
        let columns = SurveyFigures.kinds.filter { $0.name != "room-error" }
        func row(_ title: String, _ figures: [String: Double]) -> [String] {
            [title] + columns.map { kind in figures[kind.name].map(kind.text) ?? "-" }
        }
        let head = [""] + columns.map { $0.name.uppercased().replacing("-", with: " ") }
        let range =
            ["95 % interval"]
            + columns.map { kind in
                intervals[kind.name].map { "\(kind.text($0.lowerBound)) to \(kind.text($0.upperBound))" } ?? "-"
            }
        let parts =
            [row("all", all)] + (runs.count > 1 ? [range] : [])
            + (subjects.count > 1 ? subjects.map { row($0.name, $0.figures) } : [])
        table =
            [head] + parts + rooms.map { row("in \($0.name)", $0.figures) }
            + without.map { row("without \($0.name)", $0.figures) }
        let names = rooms.map(\.name).filter { shares[$0] != nil }
        let estimates = rooms.map(\.name) + ["none"]
        confusion =
            names.count < 2
            ? []
            : [["TRUE ROOM"] + estimates]
                + names.map { room in
                    [room] + estimates.map { shares[room]?[$0].map(PassRate.percent) ?? "" }
                }
    }

    var lines: [String] {
        var lines = [heading] + TextTable(rows: table).lines
        if !confusion.isEmpty { lines += [""] + TextTable(rows: confusion).lines }
        if !comparison.isEmpty { lines += [""] + comparison.map(\.sentence) }
        return lines
    }

    /// The same tables in Markdown.
    var markdown: [String] {
        var lines = [heading, ""] + TextTable(rows: table).markdown
        if !confusion.isEmpty { lines += [""] + TextTable(rows: confusion).markdown }
        if !comparison.isEmpty { lines += [""] + comparison.map { "* \($0.sentence)" } }
        return lines
    }

    /// The means of figures, of the runs that have them.
    private static func mean(_ figures: [SurveyFigures]) -> [String: Double] {
        var means: [String: Double] = [:]
        for kind in SurveyFigures.kinds {
            let values = figures.compactMap(kind.value)
            if !values.isEmpty { means[kind.name] = values.reduce(0, +) / Double(values.count) }
        }
        return means
    }

    /// The 95 % intervals of these means.
    private static func intervals(_ figures: [SurveyFigures]) -> [String: ClosedRange<Double>] {
        var intervals: [String: ClosedRange<Double>] = [:]
        for kind in SurveyFigures.kinds {
            intervals[kind.name] = SampleStatistics(figures.compactMap(kind.value)).interval?.clamped(to: kind.range)
        }
        return intervals
    }

    private static func parts(_ runs: [[(name: String, figures: SurveyFigures)]]) -> [JSON.Part] {
        (runs.first ?? []).indices.map { index in
            JSON.Part(name: runs[0][index].name, figures: mean(runs.map { $0[index].figures }))
        }
    }
}
