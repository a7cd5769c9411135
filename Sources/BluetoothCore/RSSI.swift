// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The strength at which a receiver heard something: -127 to 20 dBm (Core 5.4, Vol 4, Part E, 7.7.65.2).
public struct RSSI: DecibelMilliwatts {
    public let decibelMilliwatts: Int8
    public init(_ decibelMilliwatts: Int8) { self.decibelMilliwatts = decibelMilliwatts }

    /// 127: the receiver does not know.
    public static let unavailable = RSSI(127)
}
