// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A number that goes up and down in a period, sampled now and then.
package struct Waveform: Hashable, Sendable {
    /// How it goes.
    package enum Shape: String, Hashable, Sendable, CaseIterable {
        /// Begins in the middle, going up.
        case sine
        /// Begins at the bottom, and goes up and down in straight lines.
        case triangle
        /// Begins at the top, and is at the bottom in the second half.
        case square
        /// Begins at the bottom, goes up in a straight line, and falls at the end.
        case sawtooth
    }

    /// How it goes.
    package let shape: Shape
    /// The bottom and the top.
    package let range: ClosedRange<Double>
    /// The time until it begins again, at least a millisecond.
    package let period: Duration
    /// How far into the period it is when power comes, from 0 up to but not 1.
    package let phase: Double
    /// The time between two samples, at least a millisecond.
    package let every: Duration

    /// The time between two samples where nothing else is said.
    package static let usualSampling = Duration.milliseconds(100)

    /// A waveform; of a phase, only the part behind the point counts.
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

    /// The value, so long after power came.
    package func value(at elapsed: Duration) -> Double {
        let sampled = Int128(elapsed.steps(every: every)) * every.attoseconds % period.attoseconds
        let place = Double(sampled) / Double(period.attoseconds) + phase
        let height = height(at: place - place.rounded(.down))
        return min(
            max(range.lowerBound + (range.upperBound - range.lowerBound) * height, range.lowerBound), range.upperBound)
    }

    /// From 0, the bottom, to 1, the top.
    private func height(at place: Double) -> Double {
        switch shape {
        case .sine: 0.5 + 0.5 * sin(2 * .pi * place)
        case .triangle: place < 0.5 ? 2 * place : 2 - 2 * place
        case .square: place < 0.5 ? 1 : 0
        case .sawtooth: place
        }
    }
}
