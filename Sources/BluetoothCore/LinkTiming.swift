// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How often the ends of a connection hear each other (Core 5.4, Vol 6, Part B, 4.5.1).
public struct LinkTiming: Hashable, Sendable {
    /// The connection interval, in steps of 1.25 ms; both ends of the range are the same when it is known.
    public var interval: ClosedRange<Ticks<1250>>
    /// The connection events that the peripheral may leave out: 0 to 499.
    public var latency: UInt16
    /// How long a silent peer is still there, in steps of 10 ms.
    public var supervisionTimeout: Ticks<10000>

    /// A timing; whether a connection can have it is for the radio to ask.
    public init(interval: ClosedRange<Ticks<1250>>, latency: UInt16 = 0, supervisionTimeout: Ticks<10000>) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}
