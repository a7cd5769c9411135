// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Why a pairing failed, as the peer is told (Core 5.4, Vol 3, Part H, 3.5.5, table 3.7).
package struct PairingFailedReason: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user did not enter the passkey.
    package static let passkeyEntryFailed = PairingFailedReason(rawValue: 0x01)
    /// There is no data that came another way than over the air.
    package static let outOfBandNotAvailable = PairingFailedReason(rawValue: 0x02)
    /// What is wanted cannot be had with what both can show and be told.
    package static let authenticationRequirements = PairingFailedReason(rawValue: 0x03)
    /// What was sent of a random number does not fit the number.
    package static let confirmValueFailed = PairingFailedReason(rawValue: 0x04)
    /// The device does not pair.
    package static let pairingNotSupported = PairingFailedReason(rawValue: 0x05)
    /// The key would be too short.
    package static let encryptionKeySize = PairingFailedReason(rawValue: 0x06)
    /// The command is not known.
    package static let commandNotSupported = PairingFailedReason(rawValue: 0x07)
    /// Any other reason.
    package static let unspecified = PairingFailedReason(rawValue: 0x08)
    /// Too little time has passed since a pairing failed.
    package static let repeatedAttempts = PairingFailedReason(rawValue: 0x09)
    /// A command has the wrong length, or a value out of range.
    package static let invalidParameters = PairingFailedReason(rawValue: 0x0A)
    /// Both sides do not have the same secret.
    package static let keyCheckFailed = PairingFailedReason(rawValue: 0x0B)
    /// The user says that the numbers differ.
    package static let numericComparisonFailed = PairingFailedReason(rawValue: 0x0C)
    /// A pairing over BR/EDR is under way.
    package static let classicPairingInProgress = PairingFailedReason(rawValue: 0x0D)
    /// The key of one transport may not be used for the other.
    package static let crossTransportNotAllowed = PairingFailedReason(rawValue: 0x0E)
    /// A key that was sent is not taken.
    package static let keyRejected = PairingFailedReason(rawValue: 0x0F)
}

extension PairingFailedReason: CustomStringConvertible {
    /// One clause for people: `the confirm values differ (0x04)`.
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
        case .classicPairingInProgress: "a pairing over BR/EDR is under way"
        case .crossTransportNotAllowed: "keys of the other transport are not allowed"
        case .keyRejected: "a key was rejected"
        default: "a reason without a name"
        }
    }

    private static func digits(_ value: UInt8) -> String { Hexadecimal.string([value]).uppercased() }
}
