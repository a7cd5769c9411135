// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

internal import BluetoothCore

/// Strengths heard, however many, by how often each was: sorted, and of bounded size.
struct TrimmedSamples: Hashable, Sendable {
    private var counts = [Int](repeating: 0, count: 256)
    /// How many there are.
    private(set) var count = 0

    /// How many are left out at each end: a tenth, truncated.
    var trimmed: Int { count / 10 }

    /// Takes one.
    mutating func add(_ rssi: RSSI) {
        counts[Int(rssi.decibelMilliwatts) + 128] += 1
        count += 1
    }

    /// The mean of those that are not left out, in dBm; `nil` when there are none.
    var mean: Double? {
        guard count > 0 else { return nil }
        let kept = trimmed..<count - trimmed
        var sum = 0
        var first = 0
        for (index, occurrences) in counts.enumerated() where occurrences > 0 {
            sum += (index - 128) * kept.clamped(to: first..<first + occurrences).count
            first += occurrences
        }
        return Double(sum) / Double(kept.count)
    }
}
