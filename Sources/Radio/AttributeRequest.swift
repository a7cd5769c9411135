// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// An attribute whose value its owner has.
package struct ServedAttribute: Hashable, Sendable {
    /// The characteristic.
    package let characteristic: CharacteristicIdentifier
    /// The number of the descriptor among those of the characteristic that the owner serves; `nil` for the characteristic's value.
    package let descriptor: Int?

    /// The value of a characteristic, or one of its descriptors.
    package init(characteristic: CharacteristicIdentifier, descriptor: Int? = nil) {
        self.characteristic = characteristic
        self.descriptor = descriptor
    }
}

/// A central's request for the value of a characteristic or of a descriptor.
package struct AttributeRequest: Hashable, Sendable {
    /// The operation.
    package enum Operation: Hashable, Sendable {
        /// Reads the value from this offset on.
        case read(offset: Int)
        /// Writes the value from this offset on.
        case write(offset: Int, value: [UInt8])
    }

    /// The beacon.
    package let beacon: BeaconIdentifier
    /// The attribute.
    package let attribute: ServedAttribute
    /// The central's name, as in `RadioEvent.connected`.
    package let central: String
    /// The operation.
    package let operation: Operation
    /// Whether it is a write without a response.
    package let isCommand: Bool

    /// The characteristic of the attribute.
    package var characteristic: CharacteristicIdentifier { attribute.characteristic }

    /// A request for the value of a characteristic.
    package init(
        beacon: BeaconIdentifier, characteristic: CharacteristicIdentifier, central: String, operation: Operation,
        isCommand: Bool = false
    ) {
        self.init(
            beacon: beacon, attribute: ServedAttribute(characteristic: characteristic), central: central,
            operation: operation, isCommand: isCommand)
    }

    /// A request.
    package init(
        beacon: BeaconIdentifier, attribute: ServedAttribute, central: String, operation: Operation,
        isCommand: Bool = false
    ) {
        self.beacon = beacon
        self.attribute = attribute
        self.central = central
        self.operation = operation
        self.isCommand = isCommand
    }
}

/// The response: the value read (empty for a write), or the error for the peer.
package typealias AttributeResponse = Result<[UInt8], ATTError>

/// The answer to a request: most are available at once, some take time.
package enum AttributeAnswer: Sendable {
    /// At once.
    case now(AttributeResponse)
    /// When this function returns.
    case later(@Sendable () async -> AttributeResponse)

    /// The value read, empty for a write.
    package static func success(_ value: [UInt8]) -> AttributeAnswer { .now(.success(value)) }

    /// An error for the peer.
    package static func failure(_ error: ATTError) -> AttributeAnswer { .now(.failure(error)) }

    /// The response, when it is available.
    package var response: AttributeResponse {
        get async {
            switch self {
            case .now(let response): response
            case .later(let response): await response()
            }
        }
    }
}

/// Answers the requests of centrals.
package typealias AttributeResponder = @Sendable (AttributeRequest) -> AttributeAnswer

/// The attributes of a central, for the devices that it connects to.
///
/// Link layer roles and GATT roles are independent (Core 5.4, Vol 1, Part A, 6.4): a phone connects to a watch,
/// and the watch uses the phone's services on that connection.
package struct ServedAttributes: Hashable, Sendable {
    /// The central's name in its generic access service.
    package var name: String
    /// Its services, beside generic access and generic attribute.
    package var services: [GATTService]

    /// A central of this name with these services.
    package init(name: String, services: [GATTService]) {
        self.name = name
        self.services = services
    }
}

/// A use of the central's attributes by a device.
package enum ServedEvent: Hashable, Sendable {
    /// A request to read or write a value, which `ServingLink.respond` must answer.
    case request(ServedRequest)
    /// A change of the subscription to a characteristic.
    case subscribed(CharacteristicIdentifier, ClientCharacteristicConfiguration)
}

/// A device's request for a value that a central serves.
package struct ServedRequest: Hashable, Sendable {
    /// The number for the response, unique on its link.
    package let number: UInt64
    /// The characteristic.
    package let characteristic: CharacteristicIdentifier
    /// The operation.
    package let operation: AttributeRequest.Operation

    /// A request of this number.
    package init(number: UInt64, characteristic: CharacteristicIdentifier, operation: AttributeRequest.Operation) {
        self.number = number
        self.characteristic = characteristic
        self.operation = operation
    }
}
