// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A central's request for a characteristic's value.
public struct AttributeRequest: Hashable, Sendable {
    /// The operation.
    public enum Operation: Hashable, Sendable {
        /// Reads the value from this offset on.
        case read(offset: Int)
        /// Writes the value from this offset on.
        case write(offset: Int, value: [UInt8])
    }

    /// The beacon.
    public let beacon: BeaconIdentifier
    /// The characteristic.
    public let characteristic: CharacteristicIdentifier
    /// The central's name, as in `RadioEvent.connected`.
    public let central: String
    /// The operation.
    public let operation: Operation

    /// A request.
    public init(
        beacon: BeaconIdentifier, characteristic: CharacteristicIdentifier, central: String, operation: Operation
    ) {
        self.beacon = beacon
        self.characteristic = characteristic
        self.central = central
        self.operation = operation
    }
}

/// The response: the value read (empty for a write), or the error for the peer.
public typealias AttributeResponse = Result<[UInt8], ATTError>

/// The answer to a request: most are available at once, some take time.
public enum AttributeAnswer: Sendable {
    /// At once.
    case now(AttributeResponse)
    /// When this function returns.
    case later(@Sendable () async -> AttributeResponse)

    /// The value read, empty for a write.
    public static func success(_ value: [UInt8]) -> AttributeAnswer { .now(.success(value)) }

    /// An error for the peer.
    public static func failure(_ error: ATTError) -> AttributeAnswer { .now(.failure(error)) }

    /// The response, when it is available.
    public var response: AttributeResponse {
        get async {
            switch self {
            case .now(let response): response
            case .later(let response): await response()
            }
        }
    }
}

/// Answers the requests of centrals.
public typealias AttributeResponder = @Sendable (AttributeRequest) -> AttributeAnswer

/// The attributes of a central, for the devices that it connects to.
///
/// Link layer roles and GATT roles are independent (Core 5.4, Vol 1, Part A, 6.4): a phone connects to a watch,
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

/// A use of the central's attributes by a device.
public enum ServedEvent: Hashable, Sendable {
    /// A request to read or write a value, which `ServingLink.respond` must answer.
    case request(ServedRequest)
    /// A change of the subscription to a characteristic.
    case subscribed(CharacteristicIdentifier, ClientCharacteristicConfiguration)
}

/// A device's request for a value that a central serves.
public struct ServedRequest: Hashable, Sendable {
    /// The number for the response, unique on its link.
    public let number: UInt64
    /// The characteristic.
    public let characteristic: CharacteristicIdentifier
    /// The operation.
    public let operation: AttributeRequest.Operation

    /// A request of this number.
    public init(number: UInt64, characteristic: CharacteristicIdentifier, operation: AttributeRequest.Operation) {
        self.number = number
        self.characteristic = characteristic
        self.operation = operation
    }
}
