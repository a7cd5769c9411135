// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// A characteristic among all that a device declares: its type, and which of that type it is.
///
/// A type may come more than once: two batteries, or the reports of a keyboard.
public struct CharacteristicIdentifier: Hashable, Sendable {
    /// The characteristic's type.
    public let uuid: BluetoothUUID
    /// How many of the same type are declared before it, in the same service or another.
    public let occurrence: Int

    /// The characteristic of this type: the first one, unless said otherwise.
    public init(_ uuid: BluetoothUUID, occurrence: Int = 0) {
        self.uuid = uuid
        self.occurrence = occurrence
    }
}

extension CharacteristicIdentifier: CustomStringConvertible {
    /// The type, and behind it the number of the occurrence when it is not the first: `2A4D#2`.
    public var description: String { occurrence == 0 ? "\(uuid)" : "\(uuid)#\(occurrence + 1)" }
}

/// A characteristic with the name that it has among those of its device.
public struct IdentifiedCharacteristic: Hashable, Sendable {
    /// Its name.
    public let identifier: CharacteristicIdentifier
    /// What is declared.
    public let characteristic: GATTCharacteristic
}

extension Sequence<GATTService> {
    /// All characteristics of the services in their order, each with its name.
    public var identifiedCharacteristics: [IdentifiedCharacteristic] {
        var counts: [BluetoothUUID: Int] = [:]
        return flatMap(\.characteristics).map { characteristic in
            let occurrence = counts[characteristic.uuid, default: 0]
            counts[characteristic.uuid] = occurrence + 1
            return IdentifiedCharacteristic(
                identifier: CharacteristicIdentifier(characteristic.uuid, occurrence: occurrence),
                characteristic: characteristic)
        }
    }
}
