// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A central's request for a characteristic's value.
public struct AttributeRequest: Hashable, Sendable {
    /// What it wants.
    public enum Operation: Hashable, Sendable {
        /// The value from this offset on.
        case read(offset: Int)
        /// To replace the value from this offset on.
        case write(offset: Int, value: [UInt8])
    }

    /// The beacon asked.
    public let beacon: BeaconIdentifier
    /// The characteristic.
    public let characteristic: CharacteristicIdentifier
    /// The central's name, as in `RadioEvent.connected`.
    public let central: String
    /// What it wants.
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

/// The answer: the value read (empty for a write), or the error that the peer is told.
public typealias AttributeResponse = Result<[UInt8], ATTError>

/// What comes of a request: most answers are there at once, some take their time.
public enum AttributeAnswer: Sendable {
    /// This.
    case now(AttributeResponse)
    /// What this returns.
    case later(@Sendable () async -> AttributeResponse)

    /// The value read, empty for a write.
    public static func success(_ value: [UInt8]) -> AttributeAnswer { .now(.success(value)) }

    /// The error that the peer is told.
    public static func failure(_ error: ATTError) -> AttributeAnswer { .now(.failure(error)) }

    /// The answer, when it is there.
    public var response: AttributeResponse {
        get async {
            switch self {
            case .now(let response): response
            case .later(let response): await response()
            }
        }
    }
}

/// Answers what centrals ask.
public typealias AttributeResponder = @Sendable (AttributeRequest) -> AttributeAnswer
