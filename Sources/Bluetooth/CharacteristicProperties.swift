// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The operations that a characteristic value supports (Core 5.4, Vol 3, Part G, 3.3.1.1).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value can be broadcast in advertising data.
    public static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// The value can be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// The value can be written without a response.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value can be written with a response.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The value can be notified, without confirmation.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The value can be indicated, with confirmation.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// The value can be written without a response, with a signature.
    public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// A descriptor has further properties.
    public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)

    /// The properties in the order of their bits, with the names that BlueZ and the control API have for them.
    package static let named: [(name: String, property: CharacteristicProperties)] = [
        ("broadcast", .broadcast), ("read", .read), ("write-without-response", .writeWithoutResponse),
        ("write", .write), ("notify", .notify), ("indicate", .indicate),
        ("authenticated-signed-writes", .authenticatedSignedWrites), ("extended-properties", .extendedProperties),
    ]

    /// The names of these properties.
    package var names: [String] { Self.named.filter { contains($0.property) }.map(\.name) }
}

/// The properties in the extended properties descriptor (Core 5.4, Vol 3, Part G, 3.3.3.1).
public struct ExtendedCharacteristicProperties: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Reliable writes: prepared writes are executed together.
    public static let reliableWrite = ExtendedCharacteristicProperties(rawValue: 0x0001)
    /// The user description can be written.
    public static let writableAuxiliaries = ExtendedCharacteristicProperties(rawValue: 0x0002)
}

/// The subscription of a client to a characteristic (Core 5.4, Vol 3, Part G, 3.3.3.3).
public struct ClientCharacteristicConfiguration: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The client receives notifications.
    public static let notification = ClientCharacteristicConfiguration(rawValue: 0x0001)
    /// The client receives indications.
    public static let indication = ClientCharacteristicConfiguration(rawValue: 0x0002)
}
