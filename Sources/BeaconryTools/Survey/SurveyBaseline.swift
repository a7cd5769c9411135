// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import JSON

/// The figures of an earlier survey, by seed, with which a survey is compared.
struct SurveyBaseline {
    /// The difference of a figure, new less old, over the seeds.
    struct Difference {
        let kind: SurveyFigures.Kind
        let mean: Double
        /// The 95 % interval of the difference in pairs; `nil` for one that is the same with each seed.
        let interval: ClosedRange<Double>?
        /// The probability of a mean that is at least as far from 0, without a difference.
        let probability: Double

        /// Whether it is on the worse side, and not by chance.
        var isWorse: Bool { isDifferent && (kind.isGreaterBetter ? mean < 0 : mean > 0) }

        private var isDifferent: Bool { interval.map { !$0.contains(0) } ?? (probability < 0.05) }

        var sentence: String {
            func text(_ value: Double) -> String { "\(value < 0 ? "-" : "+")\(kind.text(abs(value)))" }
            let verdict = isWorse ? "worse" : isDifferent ? "better" : "not different"
            let range = interval.map { "95 % interval \(text($0.lowerBound)) to \(text($0.upperBound))" }
            return "\(kind.name): \(text(mean)), \(range ?? "with each seed"): \(verdict)"
        }
    }

    private let file: String
    private let estimator: String
    private let runs: [(seed: UInt64, figures: [String: Double])]

    /// Reads the output of `survey --json`.
    /// - Throws: `Failure` for a file that cannot be read, or that is no survey.
    init(_ path: String) throws {
        file = path
        let text: String
        do throws(ProfileFaults) {
            text = try ProfileFiles.text(path)
        } catch {
            throw Failure.badData("\(path) cannot be read; write an output of beaconry survey --json")
        }
        let bad = Failure.badData("\(path) is not the output of beaconry survey --json")
        guard let members = (try? JSONValue(parsing: Array(text.utf8), .file))?.members,
            members["event"]?.string == "survey", let estimator = members["estimator"]?.string,
            let runs = members["runs"]?.elements
        else { throw bad }
        self.estimator = estimator
        self.runs = try runs.map { run in
            guard let seed = run.members?["seed"]?.double, let figures = run.members?["figures"]?.members else {
                throw bad
            }
            return (UInt64(seed), figures.compactMapValues(\.double))
        }
    }

    /// Checks that both have the same seeds, and several.
    /// - Throws: `Failure` with both lists.
    func check(_ seeds: [UInt64]) throws(Failure) {
        guard runs.map(\.seed) == seeds else {
            let theirs = runs.map { "\($0.seed)" }.joined(separator: ",")
            throw Failure.usage(
                "\(file) has other seeds, so that nothing can be compared in pairs; write --seeds \(theirs.isEmpty ? "1..20 for both" : theirs)"
            )
        }
        guard seeds.count > 1 else {
            throw Failure.usage("one seed has no interval; write --seeds 1..20 for the baseline and for this survey")
        }
    }

    /// The differences of the figures that both have for each seed.
    func differences(from new: [SurveyRun]) -> [Difference] {
        SurveyFigures.kinds.compactMap { kind in
            let pairs = zip(new, runs).compactMap { new, old -> Double? in
                guard let value = kind.value(new.figures), let former = old.figures[kind.name] else { return nil }
                return value - former
            }
            guard kind.name != "right", pairs.count == runs.count else { return nil }
            let sample = SampleStatistics(pairs)
            guard let mean = sample.mean, let probability = sample.probability else { return nil }
            return Difference(kind: kind, mean: mean, interval: sample.interval, probability: probability)
        }
    }
}
