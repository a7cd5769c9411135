// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// When and where a receiver listens: at the start of each interval for the window, on channels 37, 38, 39 in turn
/// (Core 5.4, Vol 6, Part B, 4.4.3).
struct ScanSchedule: Hashable, Sendable {
    /// When the first interval began.
    var start: AirTime
    /// Microseconds.
    var interval: Int64
    /// Microseconds, at most the interval.
    var window: Int64

    /// The channel it is on, as a bit of a channel map; 0 outside of its window.
    func channelBit(at time: AirTime) -> UInt8 {
        let (number, phase) = (time - start).quotientAndRemainder(dividingBy: interval)
        return phase < window ? 1 << UInt8(truncatingIfNeeded: number % 3) : 0
    }
}
