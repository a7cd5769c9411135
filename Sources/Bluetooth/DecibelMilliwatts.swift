// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A power relative to one milliwatt, in whole decibels: -128 to 127 dBm.
public protocol DecibelMilliwatts: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The level in dBm.
    var decibelMilliwatts: Int8 { get }
    /// A level in dBm.
    init(_ decibelMilliwatts: Int8)
}

extension DecibelMilliwatts {
    /// `-59 dBm`
    public var description: String { "\(decibelMilliwatts) dBm" }

    public static func < (left: Self, right: Self) -> Bool { left.decibelMilliwatts < right.decibelMilliwatts }
}

/// The power that a transmitter radiates (Core 5.4, Vol 6, Part A, 3).
public struct TransmitPower: DecibelMilliwatts {
    public let decibelMilliwatts: Int8
    public init(_ decibelMilliwatts: Int8) { self.decibelMilliwatts = decibelMilliwatts }
}

/// The RSSI at one metre that a beacon advertises, so that receivers can estimate their distance.
public struct MeasuredPower: DecibelMilliwatts {
    public let decibelMilliwatts: Int8
    public init(_ decibelMilliwatts: Int8) { self.decibelMilliwatts = decibelMilliwatts }
}

/// The received signal strength: -127 to 20 dBm (Core 5.4, Vol 4, Part E, 7.7.65.2).
public struct RSSI: DecibelMilliwatts {
    public let decibelMilliwatts: Int8
    public init(_ decibelMilliwatts: Int8) { self.decibelMilliwatts = decibelMilliwatts }

    /// 127: not available.
    public static let unavailable = RSSI(127)
}
