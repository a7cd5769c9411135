// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a client wants to be told of a characteristic (Core 5.4, Vol 3, Part G, 3.3.3.3).
public struct ClientCharacteristicConfiguration: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Values are notified.
    public static let notification = ClientCharacteristicConfiguration(rawValue: 0x0001)
    /// Values are indicated.
    public static let indication = ClientCharacteristicConfiguration(rawValue: 0x0002)
}
