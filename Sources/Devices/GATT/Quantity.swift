// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A number that may change by itself: what a sensor measures, or a battery has left.
///
/// It is a function of the time since power came, in steps: between two changes it stays as it is, as a value does that
/// is sampled now and then. The same quantity has the same values in every run.
package enum Quantity: Hashable, Sendable {
    /// It stays as it is.
    case fixed(Double)
    /// It goes up or down by the same amount again and again.
    case counter(Counter)
    /// It goes up and down in a period.
    case waveform(Waveform)
    /// It wanders at random.
    case randomWalk(RandomWalk)
    /// It goes as it was recorded.
    case trace(Trace)

    /// The value, so long after power came.
    package func value(at elapsed: Duration) -> Double {
        switch self {
        case .fixed(let value): value
        case .counter(let counter): Double(counter.value(at: elapsed))
        case .waveform(let waveform): waveform.value(at: elapsed)
        case .randomWalk(let walk): walk.value(at: elapsed)
        case .trace(let trace): trace.value(at: elapsed)
        }
    }

    /// When, so long after power came, the value may be another one for the first time; `nil` when it never is.
    package func nextChange(after elapsed: Duration) -> Duration? {
        switch self {
        case .fixed: nil
        case .counter(let counter): counter.nextChange(after: elapsed)
        case .waveform(let waveform): elapsed.nextStep(every: waveform.every)
        case .randomWalk(let walk): elapsed.nextStep(every: walk.every)
        case .trace(let trace): trace.nextChange(after: elapsed)
        }
    }

    /// All values that it can have lie in here.
    package var bounds: ClosedRange<Double> {
        switch self {
        case .fixed(let value): value...value
        case .counter(let counter): Double(counter.range.lowerBound)...Double(counter.range.upperBound)
        case .waveform(let waveform): waveform.range
        case .randomWalk(let walk): walk.range
        case .trace(let trace): trace.bounds
        }
    }

    /// Remembers where it is, so that later values cost less; none of them changes.
    package mutating func settle(at elapsed: Duration) {
        guard case .randomWalk(var walk) = self else { return }
        walk.settle(at: elapsed)
        self = .randomWalk(walk)
    }

    /// When it is worth settling again; `nil` when it never is.
    package func nextSettling(after elapsed: Duration) -> Duration? {
        guard case .randomWalk(let walk) = self else { return nil }
        return elapsed + walk.every * 10_000
    }
}

extension Duration {
    /// The shortest time between two changes of a quantity.
    package static let shortestStep = Duration.milliseconds(1)

    /// How many whole steps are in it; none in a negative time.
    func steps(every step: Duration) -> Int64 {
        guard self > .zero else { return 0 }
        return Int64(clamping: attoseconds / max(step, .shortestStep).attoseconds)
    }

    /// The end of the step that it is in.
    func nextStep(every step: Duration) -> Duration {
        let step = max(step, .shortestStep)
        // Not by multiplication of durations, whose product may not fit while the sum does.
        return self <= .zero ? step : self + step - Duration(attoseconds: attoseconds % step.attoseconds)
    }
}
