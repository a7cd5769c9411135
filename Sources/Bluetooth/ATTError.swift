// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The error code of an attribute request (Core 5.4, Vol 3, Part F, 3.4.1.1).
///
/// Applications define 0x80 to 0x9F; 0xE0 to 0xFF are common to profiles (Core Specification Supplement, Part B).
public struct ATTError: Error, Hashable, Sendable {
    /// The error code on the wire.
    public let rawValue: UInt8
    /// An error with any code, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No attribute has the handle.
    public static let invalidHandle = ATTError(rawValue: 0x01)
    /// The attribute cannot be read.
    public static let readNotPermitted = ATTError(rawValue: 0x02)
    /// The attribute cannot be written.
    public static let writeNotPermitted = ATTError(rawValue: 0x03)
    /// The request is malformed.
    public static let invalidPDU = ATTError(rawValue: 0x04)
    /// The link must be authenticated first.
    public static let insufficientAuthentication = ATTError(rawValue: 0x05)
    /// The server does not support this request.
    public static let requestNotSupported = ATTError(rawValue: 0x06)
    /// The offset is past the end of the value.
    public static let invalidOffset = ATTError(rawValue: 0x07)
    /// The client is not authorized.
    public static let insufficientAuthorization = ATTError(rawValue: 0x08)
    /// The queue of prepared writes is full.
    public static let prepareQueueFull = ATTError(rawValue: 0x09)
    /// No attribute in the range matches the request.
    public static let attributeNotFound = ATTError(rawValue: 0x0A)
    /// The value cannot be read from an offset.
    public static let attributeNotLong = ATTError(rawValue: 0x0B)
    /// The key that encrypts the link is too short.
    public static let encryptionKeySizeTooShort = ATTError(rawValue: 0x0C)
    /// The attribute does not accept values of this length.
    public static let invalidAttributeValueLength = ATTError(rawValue: 0x0D)
    /// "Unlikely Error": an unexpected failure.
    public static let unlikely = ATTError(rawValue: 0x0E)
    /// The link must be encrypted first.
    public static let insufficientEncryption = ATTError(rawValue: 0x0F)
    /// The type does not group attributes.
    public static let unsupportedGroupType = ATTError(rawValue: 0x10)
    /// No resources; Beaconry uses it for a value that could not be saved.
    public static let insufficientResources = ATTError(rawValue: 0x11)
    /// The client's copy of the attribute table is out of date.
    public static let databaseOutOfSync = ATTError(rawValue: 0x12)
    /// The attribute does not accept this value.
    public static let valueNotAllowed = ATTError(rawValue: 0x13)
    /// A profile rejects this write.
    public static let writeRequestRejected = ATTError(rawValue: 0xFC)
    /// The client characteristic configuration does not meet the requirements of the profile.
    public static let clientConfigurationImproperlyConfigured = ATTError(rawValue: 0xFD)
    /// The procedure is already in progress.
    public static let procedureAlreadyInProgress = ATTError(rawValue: 0xFE)
    /// The value is out of the range that the profile defines.
    public static let outOfRange = ATTError(rawValue: 0xFF)

    /// The codes that applications define.
    public static let applicationCodes: ClosedRange<UInt8> = 0x80...0x9F
}

extension ATTError: CustomStringConvertible {
    /// The code, followed by its name if it has one.
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        let code = "0x" + (digits.count < 2 ? "0" : "") + digits
        return Self.names[rawValue].map { "\(code) (\($0))" } ?? code
    }

    private static let names: [UInt8: String] = [
        0x01: "invalid handle", 0x02: "read not permitted", 0x03: "write not permitted", 0x04: "invalid PDU",
        0x05: "insufficient authentication", 0x06: "request not supported", 0x07: "invalid offset",
        0x08: "insufficient authorization", 0x09: "prepare queue full", 0x0A: "attribute not found",
        0x0B: "attribute not long", 0x0C: "encryption key size too short", 0x0D: "invalid attribute value length",
        0x0E: "unlikely error", 0x0F: "insufficient encryption", 0x10: "unsupported group type",
        0x11: "insufficient resources", 0x12: "database out of sync", 0x13: "value not allowed",
        0xFC: "write request rejected", 0xFD: "client configuration improperly configured",
        0xFE: "procedure already in progress", 0xFF: "out of range",
    ]
}
