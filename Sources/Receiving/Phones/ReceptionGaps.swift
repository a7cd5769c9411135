// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The times at which a phone loses all packets although it scans: its radio or its system does other things.
///
/// A value without a clock: its inputs have times since an arbitrary start, which do not go back. The gaps follow from the seed.
package struct ReceptionGaps: Sendable {
    /// How long gaps are, and how long the time between two of them is.
    package struct Plan: Hashable, Sendable {
        package let gap: ClosedRange<Duration>
        package let pause: ClosedRange<Duration>
    }

    /// How long they are.
    package let plan: Plan
    private var random: SplitMix64
    /// The present gap, or the next one.
    private var next: Range<Duration>

    /// The gaps from a time on.
    package init(_ plan: Plan, seed: UInt64, from time: Duration) {
        self.plan = plan
        random = SplitMix64(seed: seed)
        // The phone has been on before.
        let start = time + Self.draw(.zero...plan.pause.upperBound, &random)
        next = start..<start + Self.draw(plan.gap, &random)
    }

    /// Whether a time is in a gap.
    package mutating func contains(_ time: Duration) -> Bool {
        while time >= next.upperBound {
            let start = next.upperBound + Self.draw(plan.pause, &random)
            next = start..<start + Self.draw(plan.gap, &random)
        }
        return time >= next.lowerBound
    }

    private static func draw(_ range: ClosedRange<Duration>, _ random: inout SplitMix64) -> Duration {
        range.lowerBound + (range.upperBound - range.lowerBound) * Double.random(in: 0...1, using: &random)
    }
}

extension ReceptionGaps.Plan {
    /// One second in a hundred without a packet, near the beacon: most phones in recorded rooms.
    static let recorded = ReceptionGaps.Plan(
        gap: .milliseconds(1500) ... .milliseconds(2500), pause: .seconds(60) ... .seconds(140))
    /// A scan that accepts more than legacy advertisements (`setLegacy(false)`), on some phones.
    static let notLegacy = ReceptionGaps.Plan(gap: .seconds(2) ... .seconds(4), pause: .seconds(7) ... .seconds(10))
}
