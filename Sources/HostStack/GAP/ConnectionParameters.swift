// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What a central asks of a connection (Core 5.4, Vol 4, Part E, 7.8.12).
public struct ConnectionParameters: Hashable, Sendable {
    /// The connection interval in 1.25 ms: 7.5 ms to 4 s. The controller may take any in this range.
    public var interval: ClosedRange<Ticks<1250>>
    /// How many connection events the peripheral may skip: 0 to 499.
    public var latency: UInt16
    /// How long a silent peer is still there, in 10 ms: 100 ms to 32 s.
    public var supervisionTimeout: Ticks<10000>

    /// 30 to 50 ms, no latency and 4.2 s, unless said otherwise.
    public init(
        interval: ClosedRange<Ticks<1250>> = Ticks<1250>(24)...Ticks<1250>(40), latency: UInt16 = 0,
        supervisionTimeout: Ticks<10000> = Ticks<10000>(420)
    ) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// Whether each is in its range, and the timeout longer than two of the longest silences that latency allows.
    public var isValid: Bool {
        let range = Ticks<1250>(0x0006)...Ticks<1250>(0x0C80)
        guard range.contains(interval.lowerBound), range.contains(interval.upperBound), latency <= 0x01F3,
            (Ticks<10000>(0x000A)...Ticks<10000>(0x0C80)).contains(supervisionTimeout)
        else { return false }
        return supervisionTimeout.duration > interval.upperBound.duration * (1 + Int(latency)) * 2
    }
}
