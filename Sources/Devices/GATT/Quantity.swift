// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A number that may change in time, such as the reading of a sensor or the level of a battery.
///
/// It is a step function of the time since power came on, like a value that is sampled. The same quantity has the same values
/// in every run.
package enum Quantity: Hashable, Sendable {
    /// It does not change.
    case fixed(Double)
    /// It counts up or down.
    case counter(Counter)
    /// It follows a periodic waveform.
    case waveform(Waveform)
    /// It follows a random walk.
    case randomWalk(RandomWalk)
    /// It follows a recording.
    case trace(Trace)

    /// The value at a time since power came on.
    package func value(at elapsed: Duration) -> Double {
        switch self {
        case .fixed(let value): value
        case .counter(let counter): Double(counter.value(at: elapsed))
        case .waveform(let waveform): waveform.value(at: elapsed)
        case .randomWalk(let walk): walk.value(at: elapsed)
        case .trace(let trace): trace.value(at: elapsed)
        }
    }

    /// The time since power came on of the next change; `nil` when there is none.
    package func nextChange(after elapsed: Duration) -> Duration? {
        switch self {
        case .fixed: nil
        case .counter(let counter): counter.nextChange(after: elapsed)
        case .waveform(let waveform): elapsed.nextStep(every: waveform.every)
        case .randomWalk(let walk): elapsed.nextStep(every: walk.every)
        case .trace(let trace): trace.nextChange(after: elapsed)
        }
    }

    /// Bounds of all its values.
    package var bounds: ClosedRange<Double> {
        switch self {
        case .fixed(let value): value...value
        case .counter(let counter): Double(counter.range.lowerBound)...Double(counter.range.upperBound)
        case .waveform(let waveform): waveform.range
        case .randomWalk(let walk): walk.range
        case .trace(let trace): trace.bounds
        }
    }

    /// Stores the present position, so that later values cost less; no value changes.
    package mutating func settle(at elapsed: Duration) {
        guard case .randomWalk(var walk) = self else { return }
        walk.settle(at: elapsed)
        self = .randomWalk(walk)
    }

    /// The time at which to settle next; `nil` when there is nothing to store.
    package func nextSettling(after elapsed: Duration) -> Duration? {
        guard case .randomWalk(let walk) = self else { return nil }
        return elapsed + walk.every * 10_000
    }
}

extension Duration {
    /// The shortest time between two changes of a quantity.
    package static let shortestStep = Duration.milliseconds(1)

    /// The number of whole steps in it; 0 for a negative time.
    func steps(every step: Duration) -> Int64 {
        guard self > .zero else { return 0 }
        return Int64(count(of: max(step, .shortestStep)))
    }

    /// The end of the present step.
    func nextStep(every step: Duration) -> Duration {
        let step = max(step, .shortestStep)
        // Not by multiplication of durations, whose product may not fit while the sum does.
        return self <= .zero ? step : self + step - remainder(of: step)
    }
}
