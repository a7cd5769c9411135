// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The RSSI from which the distance of a beacon is estimated.
package enum RSSIFilter: Hashable, Sendable {
    /// The mean of the packets since the last report.
    case mean
    /// The mean of the packets of the last time.
    case runningMean(Duration)
    /// The mean of the packets of the last time without the greatest and the least: of n packets n / 10 + 1 each, if there
    /// are more than two, as the Android Beacon Library computes it.
    case trimmedMean(Duration)
}

/// The RSSI values of a beacon that a filter needs.
package struct RSSIHistory: Sendable {
    /// Of more packets, the latest count.
    private static let capacity = 4096

    private let filter: RSSIFilter
    private var samples: [(time: Duration, rssi: Int8)] = []
    /// The number of samples at the beginning that are too old.
    private var first = 0

    package init(_ filter: RSSIFilter) { self.filter = filter }

    private var age: Duration? {
        switch filter {
        case .mean: nil
        case .runningMean(let age), .trimmedMean(let age): age
        }
    }

    package mutating func add(_ rssi: RSSI, at time: Duration) {
        guard age != nil else { return }
        samples.append((time, rssi.decibelMilliwatts))
        if samples.count - first > Self.capacity { first += 1 }
        expire(at: time)
    }

    /// Removes samples that are too old: in batches, so that each is moved once.
    private mutating func expire(at time: Duration) {
        guard let age else { return }
        while first < samples.count, time - samples[first].time >= age { first += 1 }
        guard first > 64, first > samples.count / 2 else { return }
        samples.removeFirst(first)
        first = 0
    }

    /// The filtered RSSI in dBm at a time; `nil` for the mean since the last report.
    package mutating func value(at time: Duration) -> Double? {
        guard age != nil else { return nil }
        expire(at: time)
        var values = samples[first...].map { Int($0.rssi) }[...]
        guard !values.isEmpty else { return nil }
        if case .trimmedMean = filter, values.count > 2 {
            let trimmed = values.count / 10 + 1
            values = values.sorted()[trimmed..<values.count - trimmed]
        }
        return Double(values.reduce(0, +)) / Double(values.count)
    }
}
