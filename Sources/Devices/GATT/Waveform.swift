// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A number that changes periodically, sampled at regular times.
package struct Waveform: Hashable, Sendable {
    /// The shapes.
    package enum Shape: String, Hashable, Sendable, CaseIterable {
        /// Begins in the middle and rises.
        case sine
        /// Begins at the minimum; rises and falls in straight lines.
        case triangle
        /// The maximum in the first half, the minimum in the second.
        case square
        /// Begins at the minimum, rises in a straight line, and drops at the end.
        case sawtooth
    }

    /// The shape.
    package let shape: Shape
    /// The minimum and the maximum.
    package let range: ClosedRange<Double>
    /// The period, at least 1 ms.
    package let period: Duration
    /// The part of the period that has passed when power comes on, 0 up to but not 1.
    package let phase: Double
    /// The sampling period, at least 1 ms.
    package let every: Duration

    /// The default sampling period.
    package static let usualSampling = Duration.milliseconds(100)

    /// A waveform; only the fraction of the phase counts.
    package init(
        _ shape: Shape, range: ClosedRange<Double>, period: Duration, phase: Double = 0,
        every: Duration = usualSampling
    ) {
        self.shape = shape
        self.range = range
        self.period = max(period, .shortestStep)
        self.phase = phase.isFinite ? phase - phase.rounded(.down) : 0
        self.every = max(every, .shortestStep)
    }

    /// The value at a time since power came on.
    package func value(at elapsed: Duration) -> Double {
        let sampled = Int128(elapsed.steps(every: every)) * every.attoseconds % period.attoseconds
        let place = Double(sampled) / Double(period.attoseconds) + phase
        let height = height(at: place - place.rounded(.down))
        return min(
            max(range.lowerBound + (range.upperBound - range.lowerBound) * height, range.lowerBound), range.upperBound)
    }

    /// The value from 0, the minimum, to 1, the maximum.
    private func height(at place: Double) -> Double {
        switch shape {
        case .sine: 0.5 + 0.5 * sin(2 * .pi * place)
        case .triangle: place < 0.5 ? 2 * place : 2 - 2 * place
        case .square: place < 0.5 ? 1 : 0
        case .sawtooth: place
        }
    }
}
