// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The parameters of a connection (Core 5.4, Vol 6, Part B, 4.5.1): a request while the interval is a range, the values
/// in use when both of its ends are the same.
public struct ConnectionParameters: Hashable, Sendable {
    /// The connection interval, in units of 1.25 ms: 7.5 ms to 4 s.
    public var interval: ClosedRange<Ticks<1250>>
    /// The number of connection events that the peripheral may skip: 0 to 499.
    public var latency: UInt16
    /// The supervision timeout, in units of 10 ms: 100 ms to 32 s.
    public var supervisionTimeout: Ticks<10000>

    /// Connection parameters, valid or not; by default 30 to 50 ms, no latency, and a timeout of 4.2 s.
    public init(
        interval: ClosedRange<Ticks<1250>> = Ticks<1250>(24)...Ticks<1250>(40), latency: UInt16 = 0,
        supervisionTimeout: Ticks<10000> = Ticks<10000>(420)
    ) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// Whether every value is in its range and the supervision timeout is longer than
    /// (1 + latency) x maximum interval x 2 (Core 5.4, Vol 4, Part E, 7.8.12).
    public var isValid: Bool {
        let range = Ticks<1250>(0x0006)...Ticks<1250>(0x0C80)
        guard range.contains(interval.lowerBound), range.contains(interval.upperBound), latency <= 0x01F3,
            (Ticks<10000>(0x000A)...Ticks<10000>(0x0C80)).contains(supervisionTimeout)
        else { return false }
        return supervisionTimeout.duration > interval.upperBound.duration * (1 + Int(latency)) * 2
    }
}
