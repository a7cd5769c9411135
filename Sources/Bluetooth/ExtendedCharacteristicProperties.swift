// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The properties that stand in a descriptor of their own (Core 5.4, Vol 3, Part G, 3.3.3.1).
public struct ExtendedCharacteristicProperties: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Prepared writes to it are executed together.
    public static let reliableWrite = ExtendedCharacteristicProperties(rawValue: 0x0001)
    /// Its user description can be written.
    public static let writableAuxiliaries = ExtendedCharacteristicProperties(rawValue: 0x0002)
}
