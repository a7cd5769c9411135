// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The description of a characteristic: its type and the encoding of its value.
public struct CharacteristicDescription<Value: Sendable>: Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// The encoding of its value.
    public let codec: ValueCodec<Value>

    /// A characteristic with this type and encoding.
    public init(_ uuid: BluetoothUUID, _ codec: ValueCodec<Value>) {
        self.uuid = uuid
        self.codec = codec
    }
}

/// The description of a service: its type, and a `CharacteristicDescription` in a property for each characteristic in
/// use.
///
/// ```swift
/// struct BatteryService: ServiceDescription {
///     static let uuid = BluetoothUUID.bit16(0x180F)
///     let level = CharacteristicDescription(.bit16(0x2A19), .percentage)
/// }
/// ```
public protocol ServiceDescription: Sendable {
    /// Its type.
    static var uuid: BluetoothUUID { get }
    /// The description, the same for all services of the type.
    init()
}

/// The UUID from which the UUIDs of a device's services and characteristics are derived.
///
/// Manufacturers count up from a UUID of their own (`adding`), or insert 16-bit numbers into one (`inserting`), as the
/// Bluetooth SIG does with its base UUID.
public struct BaseUUID: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The base UUID.
    public let uuid: UUID128

    /// This UUID.
    public init(_ uuid: UUID128) { self.uuid = uuid }

    /// The UUID of a literal; a literal that is not a UUID is a programming error and traps.
    public init(stringLiteral text: String) {
        guard let uuid = UUID128(text) else { preconditionFailure("\(text) is no UUID") }
        self.uuid = uuid
    }

    /// The UUID plus an offset, as a 128-bit number that wraps around.
    public func adding(_ offset: UInt64) -> BluetoothUUID {
        var octets = uuid.octets
        var rest = offset
        for index in octets.indices.reversed() {
            let (sum, carry) = octets[index].addingReportingOverflow(UInt8(truncatingIfNeeded: rest))
            octets[index] = sum
            rest = rest >> 8 + (carry ? 1 : 0)
        }
        return Self.make(octets)
    }

    /// The UUID with this number in its third and fourth byte: `F000xxxx-0451-4000-B000-000000000000`.
    public func inserting(_ number: UInt16) -> BluetoothUUID {
        var octets = uuid.octets
        octets[2] = UInt8(number >> 8)
        octets[3] = UInt8(number & 0xFF)
        return Self.make(octets)
    }

    private static func make(_ octets: [UInt8]) -> BluetoothUUID {
        guard let uuid = UUID128(octets: octets) else { preconditionFailure("16 bytes are a UUID") }
        return .bit128(uuid)
    }
}
