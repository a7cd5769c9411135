// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// What a central has for the devices that it connects to: attributes of its own.
///
/// Who advertises and who serves attributes are two questions (Core 5.4, Vol 1, Part A, 6.4): a phone connects to a watch,
/// and the watch uses the phone's services on that connection.
public struct ServedAttributes: Hashable, Sendable {
    /// The central's name in its generic access service.
    public var name: String
    /// Its services, beside generic access and generic attribute.
    public var services: [GATTService]

    /// A central of this name with these services.
    public init(name: String, services: [GATTService]) {
        self.name = name
        self.services = services
    }
}

/// What a device does with the attributes that a central serves it.
public enum ServedEvent: Hashable, Sendable {
    /// It reads or writes a value, and waits: answer with `RemoteLink.respond`.
    case request(ServedRequest)
    /// It wants to be told other things of a characteristic's value than before.
    case subscribed(CharacteristicIdentifier, ClientCharacteristicConfiguration)
}

/// What a device asks of a value that a central serves it.
public struct ServedRequest: Hashable, Sendable {
    /// What the answer is given by, unique on its link.
    public let number: UInt64
    /// The characteristic.
    public let characteristic: CharacteristicIdentifier
    /// What it wants.
    public let operation: AttributeRequest.Operation

    /// A request of this number.
    public init(number: UInt64, characteristic: CharacteristicIdentifier, operation: AttributeRequest.Operation) {
        self.number = number
        self.characteristic = characteristic
        self.operation = operation
    }
}
