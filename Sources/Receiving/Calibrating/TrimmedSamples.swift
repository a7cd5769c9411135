// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// RSSI samples, stored as the count of each value: sorted, and of bounded size for any number of samples.
package struct TrimmedSamples: Hashable, Sendable {
    private var counts = [Int](repeating: 0, count: 256)
    /// The number of samples.
    package private(set) var count = 0

    /// The number of samples left out at each end: a tenth, truncated.
    package var trimmed: Int { count / 10 }

    /// No samples.
    package init() {}

    /// Adds a sample.
    package mutating func add(_ rssi: RSSI) {
        counts[Int(rssi.decibelMilliwatts) + 128] += 1
        count += 1
    }

    /// The mean of the samples that are not left out, in dBm; `nil` without samples.
    package var mean: Double? {
        guard count > 0 else { return nil }
        let range = trimmed..<count - trimmed
        var sum = 0
        var first = 0
        for (index, occurrences) in counts.enumerated() where occurrences > 0 {
            sum += (index - 128) * range.clamped(to: first..<first + occurrences).count
            first += occurrences
        }
        return Double(sum) / Double(range.count)
    }
}
