// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// What two devices agree on before they pair (Core 5.4, Vol 3, Part H, 2.3).
struct PairingAgreement: Hashable, Sendable {
    let method: PairingMethod
    let isSecureConnections: Bool
    /// Whether both want to keep the keys.
    let isBonding: Bool
    /// In octets.
    let keySize: UInt8
    let initiatorKeys: KeyDistribution
    let responderKeys: KeyDistribution

    /// What comes of a request and its response.
    /// - Throws: what the peer is to be told when nothing does.
    init(
        request: PairingFeatures, response: PairingFeatures, settings: PairingSettings
    ) throws(PairingFailedReason) {
        let both = request.requirements.intersection(response.requirements)
        isSecureConnections = both.contains(.secureConnections)
        isBonding = request.requirements.wantsBonding && response.requirements.wantsBonding
        // This host has nothing that came another way than over the air.
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
        // With LE Secure Connections both have made the long term key themselves.
        let ignored: KeyDistribution = isSecureConnections ? [.encryption, .link] : .link
        initiatorKeys = response.initiatorKeys.intersection([.encryption, .identity, .signing]).subtracting(ignored)
        responderKeys = response.responderKeys.intersection([.encryption, .identity, .signing]).subtracting(ignored)
    }

    /// What the link offers once it is encrypted.
    var security: LinkSecurity {
        LinkSecurity(isEncrypted: true, isAuthenticated: method.isAuthenticated, hasKey: true, keySize: keySize)
    }

    /// The keys that a side sends.
    func keys(from role: PairingRole) -> KeyDistribution { role == .initiator ? initiatorKeys : responderKeys }
}

extension PairingFailedReason: Error {}
