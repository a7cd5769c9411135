// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What can be done with a characteristic's value (Core 5.4, Vol 3, Part G, 3.3.1.1).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It can be broadcast in advertising.
    public static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// It can be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// It can be written without an acknowledgement.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// It can be written with an acknowledgement.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// It can be notified, without confirmation.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// It can be indicated, with confirmation.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// It can be written without an acknowledgement, with a signature.
    public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// A descriptor has more properties.
    public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)
}
