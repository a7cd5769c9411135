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
