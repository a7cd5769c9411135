// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a run of a scenario has shown, as named numbers.
struct RunFigures {
    /// The figures in the order of the report; `nil` for one that has no value in this run.
    var values: [(name: String, value: Double?)]

    /// Whether each expectation was met, 1 or 0, by its text, `passed`: whether the whole run has passed, and the figures of the
    /// estimates of each receiver, such as `visitor.room-error`.
    init(_ result: ScenarioResult) {
        var counts: [String: Int] = [:]
        values = result.verdicts.map { verdict in
            let text = "\(verdict.expectation)"
            counts[text, default: 0] += 1
            let number = counts[text, default: 1]
            return (number == 1 ? text : "\(text) #\(number)", verdict.fault == nil ? 1 : 0)
        }
        values.append(("passed", result.isPassed ? 1 : 0))
        for (subject, samples) in result.samples.sorted(by: { $0.key < $1.key }) {
            let figures = SurveyFigures([samples], every: .seconds(1), isGrid: false)
            values += SurveyFigures.kinds.map { ("\(subject).\($0.name)", $0.value(figures)) }
        }
    }
}

/// What the figures of a name are.
struct FigureDeclaration {
    /// The better values.
    enum Side: String, Encodable {
        case higher
        case lower
    }

    /// The end of the name, such as `.median-error`, which is that of several receivers.
    let ending: String
    /// Whether each run has 0 or 1, so that the mean is a rate.
    let isRate: Bool
    let better: Side
    /// The unit, such as `m`; empty for none.
    let unit: String
    /// Whether it is a share from 0 to 1.
    let isShare: Bool
    /// The values that there may be.
    var range: ClosedRange<Double> { 0...(isShare ? 1 : .infinity) }

    /// The figures that are no expectations.
    private static let others = SurveyFigures.kinds.map { kind in
        FigureDeclaration(
            ending: ".\(kind.name)", isRate: false, better: kind.isGreaterBetter ? .higher : .lower, unit: kind.unit,
            isShare: kind.isShare)
    }
    /// Expectations that are met.
    private static let expectation = FigureDeclaration(
        ending: "", isRate: true, better: .higher, unit: "", isShare: true)

    /// The declaration of the figures of a name.
    static func of(_ name: String) -> FigureDeclaration {
        others.first { name.hasSuffix($0.ending) } ?? expectation
    }
}
