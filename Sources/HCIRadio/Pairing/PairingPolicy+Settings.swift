// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import HostStack
import Radio

// Our own host's words for what the seam between device and radio says.

extension PairingPolicy {
    /// What settings ask for. Peers' wishes are asked about, so that it can be told that a pairing begins.
    init(_ settings: PairingSettings) {
        let protection: Demand =
            if settings.requiresAuthentication { .required } else { settings.inputOutput == .none ? .off : .preferred }
        self.init(
            acceptance: .ask, inputOutput: InputOutputCapability(settings.inputOutput),
            isBonding: settings.isBonding, protection: protection,
            secureConnections: Demand(settings.secureConnections), minimumKeySize: settings.minimumKeySize,
            passkey: settings.passkey.map { .fixed($0) } ?? .random)
    }
}

extension PairingPolicy.Demand {
    fileprivate init(_ wish: PairingSettings.SecureConnections) {
        switch wish {
        case .required: self = .required
        case .preferred: self = .preferred
        case .off: self = .off
        }
    }
}

extension InputOutputCapability {
    fileprivate init(_ inputOutput: PairingSettings.InputOutput) {
        switch inputOutput {
        case .none: self = .noInputNoOutput
        case .display: self = .displayOnly
        case .displayYesNo: self = .displayYesNo
        case .keyboard: self = .keyboardOnly
        case .keyboardDisplay: self = .keyboardDisplay
        }
    }
}

extension PairingError {
    /// Why a pairing did not come about.
    init(reporting failure: PairingFailure) {
        switch failure {
        case .failed(let reason): self.init(Code(reason: reason.rawValue) ?? .unspecified, "\(failure)")
        case .rejected(let reason): self.init(Code(reason: reason.rawValue) ?? .unspecified, "\(failure)")
        case .timedOut: self.init(.timedOut, "\(failure)")
        case .cancelled: self.init(.cancelled)
        case .tooEarly: self.init(.repeatedAttempts, "\(failure)")
        case .notPossible: self.init(.busy, "\(failure)")
        case .encryption(.pinOrKeyMissing): self.init(.keyMissing)
        case .encryption: self.init(.keyMismatch, "\(failure)")
        case .disconnected: self.init(.disconnected)
        }
    }

    /// Why a link could not be encrypted.
    init(reporting failure: EncryptionFailure) {
        switch failure {
        case .bondRejected: self.init(.keyMissing)
        case .keyMissing: self.init(.keyMissing, "the peer uses a key of a bond that is not known here")
        case .controller(let status): self.init(.keyMismatch, "the link could not be encrypted: \(status)")
        }
    }

    /// What the end of a connection says about its keys; `nil` for ends of other kinds.
    init?(endOfLink reason: HCIStatus) {
        guard reason == .connectionTerminatedMICFailure else { return nil }
        self.init(.keyMismatch)
    }
}

extension LinkProtection {
    init(_ security: LinkSecurity) {
        self.init(isAuthenticated: security.isAuthenticated, keySize: security.keySize)
    }
}

extension PairedPeer {
    init(_ bond: Bond, isBonded: Bool) {
        self.init(
            address: RemoteAddress(bond.peer), isBonded: isBonded, isAuthenticated: bond.isAuthenticated,
            usesSecureConnections: bond.isSecureConnections, keySize: bond.keySize)
    }
}
