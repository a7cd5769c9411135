// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The reason in a Pairing Failed PDU (Core 5.4, Vol 3, Part H, 3.5.5, table 3.7).
package struct PairingFailedReason: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user did not enter the passkey.
    static let passkeyEntryFailed = PairingFailedReason(rawValue: 0x01)
    /// Out-of-band data is not available.
    static let outOfBandNotAvailable = PairingFailedReason(rawValue: 0x02)
    /// The input and output of the devices cannot provide the required protection.
    static let authenticationRequirements = PairingFailedReason(rawValue: 0x03)
    /// The confirm value does not match the random number.
    static let confirmValueFailed = PairingFailedReason(rawValue: 0x04)
    /// The device does not support pairing.
    static let pairingNotSupported = PairingFailedReason(rawValue: 0x05)
    /// The key would be shorter than one device accepts.
    static let encryptionKeySize = PairingFailedReason(rawValue: 0x06)
    /// The command is not supported.
    static let commandNotSupported = PairingFailedReason(rawValue: 0x07)
    /// Any other reason.
    static let unspecified = PairingFailedReason(rawValue: 0x08)
    /// Too little time has passed since a pairing failed.
    static let repeatedAttempts = PairingFailedReason(rawValue: 0x09)
    /// A command has the wrong length, or a value out of range.
    static let invalidParameters = PairingFailedReason(rawValue: 0x0A)
    /// The devices do not share the same secret.
    static let keyCheckFailed = PairingFailedReason(rawValue: 0x0B)
    /// The user answered that the numbers differ.
    static let numericComparisonFailed = PairingFailedReason(rawValue: 0x0C)
    /// A pairing over BR/EDR is in progress.
    static let classicPairingInProgress = PairingFailedReason(rawValue: 0x0D)
    /// The key of one transport may not be used for the other.
    static let crossTransportNotAllowed = PairingFailedReason(rawValue: 0x0E)
    /// A distributed key is not accepted.
    static let keyRejected = PairingFailedReason(rawValue: 0x0F)
}

extension PairingFailedReason: CustomStringConvertible {
    /// One clause: `the confirm values differ (0x04)`.
    package var description: String { "\(clause) (0x\(Self.digits(rawValue)))" }

    private var clause: String {
        switch self {
        case .passkeyEntryFailed: "the passkey was not entered"
        case .outOfBandNotAvailable: "out of band data is not available"
        case .authenticationRequirements: "the authentication requirements cannot be met"
        case .confirmValueFailed: "the confirm values differ, as they do with a wrong passkey"
        case .pairingNotSupported: "pairing is not supported"
        case .encryptionKeySize: "the encryption key would be too short"
        case .commandNotSupported: "a command is not supported"
        case .unspecified: "an unspecified reason"
        case .repeatedAttempts: "too little time has passed since the last attempt"
        case .invalidParameters: "a command has invalid parameters"
        case .keyCheckFailed: "the key check failed"
        case .numericComparisonFailed: "the numbers that were compared differ"
        case .classicPairingInProgress: "a pairing over BR/EDR is in progress"
        case .crossTransportNotAllowed: "keys of the other transport are not allowed"
        case .keyRejected: "a key was rejected"
        default: "an unknown reason"
        }
    }

    private static func digits(_ value: UInt8) -> String { Hexadecimal.string([value]).uppercased() }
}
