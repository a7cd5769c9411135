// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The method of authentication of a pairing (Core 5.4, Vol 3, Part H, 2.3.5.1).
enum PairingMethod: Hashable, Sendable {
    /// No authentication: a machine in the middle is not detected.
    case justWorks
    /// Both users compare two numbers; LE Secure Connections only.
    case numericComparison
    /// One device shows six digits, which the user enters on the other.
    case passkey(shownBy: PairingRole)
    /// The user enters the same six digits on both devices.
    case passkeyEnteredByBoth

    /// The method for two devices of which at least one requests protection (table 2.8).
    init(initiator: InputOutputCapability, responder: InputOutputCapability, isSecureConnections: Bool) {
        if isSecureConnections, initiator.comparesNumbers, responder.comparesNumbers {
            self = .numericComparison
        } else if initiator == .noInputNoOutput || responder == .noInputNoOutput {
            self = .justWorks
        } else {
            switch (initiator.hasKeyboard, responder.hasKeyboard) {
            case (false, false): self = .justWorks
            case (true, false): self = .passkey(shownBy: .responder)
            case (false, true): self = .passkey(shownBy: .initiator)
            case (true, true):
                if initiator == .keyboardDisplay {
                    self = .passkey(shownBy: .initiator)
                } else {
                    self = responder == .keyboardDisplay ? .passkey(shownBy: .responder) : .passkeyEnteredByBoth
                }
            }
        }
    }

    /// Whether a machine in the middle is detected.
    var isAuthenticated: Bool { self != .justWorks }

    /// Whether a user enters six digits.
    var usesPasskey: Bool {
        switch self {
        case .passkey, .passkeyEnteredByBoth: true
        case .justWorks, .numericComparison: false
        }
    }
}

/// The role in a pairing: the central of the link is always the initiator.
enum PairingRole: Hashable, Sendable {
    case initiator
    case responder
}

/// The result of the exchange of pairing features (Core 5.4, Vol 3, Part H, 2.3).
struct PairingAgreement: Hashable, Sendable {
    let method: PairingMethod
    let isSecureConnections: Bool
    /// Whether both devices save the bond.
    let isBonding: Bool
    /// The length of the keys, in bytes.
    let keySize: UInt8
    let initiatorKeys: KeyDistribution
    let responderKeys: KeyDistribution

    /// The agreement of a request and its response.
    /// - Throws: the reason to send to the peer, if the devices cannot pair.
    init(
        request: PairingFeatures, response: PairingFeatures, settings: PairingSettings
    ) throws(PairingFailedReason) {
        let both = request.requirements.intersection(response.requirements)
        isSecureConnections = both.contains(.secureConnections)
        isBonding = request.requirements.wantsBonding && response.requirements.wantsBonding
        // This host has no out-of-band data.
        guard request.outOfBandData == 0, response.outOfBandData == 0 else {
            throw .outOfBandNotAvailable
        }
        keySize = min(request.maximumKeySize, response.maximumKeySize)
        guard keySize >= settings.minimumKeySize else { throw .encryptionKeySize }
        let wantsProtection = request.requirements.union(response.requirements).contains(.protection)
        method =
            wantsProtection
            ? PairingMethod(
                initiator: request.inputOutput, responder: response.inputOutput,
                isSecureConnections: isSecureConnections)
            : .justWorks
        guard !settings.requiresAuthentication || method.isAuthenticated,
            settings.secureConnections != .required || isSecureConnections
        else { throw .authenticationRequirements }
        // With LE Secure Connections both devices have derived the long term key.
        let ignored: KeyDistribution = isSecureConnections ? [.encryption, .link] : .link
        initiatorKeys = response.initiatorKeys.intersection([.encryption, .identity, .signing]).subtracting(ignored)
        responderKeys = response.responderKeys.intersection([.encryption, .identity, .signing]).subtracting(ignored)
    }

    /// The security of the link once it is encrypted.
    var security: LinkSecurity {
        LinkSecurity(isEncrypted: true, isAuthenticated: method.isAuthenticated, hasKey: true, keySize: keySize)
    }

    /// The keys that a side distributes.
    func keys(from role: PairingRole) -> KeyDistribution { role == .initiator ? initiatorKeys : responderKeys }
}

extension PairingFailedReason: Error {}
