// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Why an attribute request failed, as the peer is told (Core 5.4, Vol 3, Part F, 3.4.1.1).
public struct ATTError: Error, Hashable, Sendable {
    /// The error code on the wire.
    public let rawValue: UInt8
    /// Any code, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The attribute cannot be read.
    public static let readNotPermitted = ATTError(rawValue: 0x02)
    /// The attribute cannot be written.
    public static let writeNotPermitted = ATTError(rawValue: 0x03)
    /// The offset is past the end of the value.
    public static let invalidOffset = ATTError(rawValue: 0x07)
    /// The value's length is not one that the attribute takes.
    public static let invalidAttributeValueLength = ATTError(rawValue: 0x0D)
    /// "Unlikely Error": something that should not happen.
    public static let unlikely = ATTError(rawValue: 0x0E)
    /// No resources: here, that a value could not be made durable.
    public static let insufficientResources = ATTError(rawValue: 0x11)
}
