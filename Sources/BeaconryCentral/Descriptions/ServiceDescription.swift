// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// A characteristic as a device's documentation has it: its type, and what its value is.
public struct CharacteristicDescription<Value: Sendable>: Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// What its value is.
    public let codec: ValueCodec<Value>

    /// A characteristic of this type and value.
    public init(_ uuid: BluetoothUUID, _ codec: ValueCodec<Value>) {
        self.uuid = uuid
        self.codec = codec
    }
}

/// A service as a device's documentation has it: its type, and a `CharacteristicDescription` for each property that
/// interests.
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
    /// The description: all services of the type have the same.
    init()
}
