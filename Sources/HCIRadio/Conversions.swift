// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import HostStack
import Radio

// Values of the host stack as the radio reports them, and of the radio as the host stack takes them.

extension PairedPeer {
    /// The peer of a bond.
    init(_ bond: Bond, isBonded: Bool) {
        self.init(
            address: RemoteAddress(bond.peer), isBonded: isBonded, isAuthenticated: bond.isAuthenticated,
            usesSecureConnections: bond.isSecureConnections, keySize: bond.keySize)
    }
}

extension LinkProtection {
    /// The protection of an encrypted connection.
    init(_ security: LinkSecurity, isBonded: Bool? = nil) {
        self.init(isAuthenticated: security.isAuthenticated, keySize: security.keySize, isBonded: isBonded)
    }
}

extension LEHost {
    /// Passes a user's answer to a pairing.
    mutating func answer(_ answer: PairingAnswer, of connection: ConnectionIdentifier) {
        switch answer {
        case .passkey(let passkey): replyPasskey(passkey, of: connection)
        case .comparison(let areEqual): replyComparison(areEqual, of: connection)
        case .cancel: cancelPairing(of: connection)
        }
    }
}

extension PeerAddress {
    init(_ device: RemoteAddress) {
        self.init(device.address, type: device.isRandom ? .random : .public)
    }
}

extension RemoteAddress {
    init(_ peer: PeerAddress) {
        self.init(peer.address, isRandom: peer.type.rawValue & 1 == 1)
    }
}

extension AttributeRequest.Operation {
    /// The operation of a request to the host's attribute server.
    init(_ operation: AttributeServerRequest.Operation) {
        switch operation {
        case .read(let offset): self = .read(offset: offset)
        case .write(let offset, let value, _): self = .write(offset: offset, value: value)
        }
    }
}

extension AttributeServerRequest.Operation {
    /// Whether it is a write without a response.
    var isCommand: Bool {
        if case .write(_, _, needsResponse: false) = self { true } else { false }
    }
}

extension Sighting {
    init(_ report: ScanReport, identity: PeerAddress?) {
        self.init(
            device: RemoteAddress(PeerAddress(report.address, type: report.addressType)),
            identity: identity.map { RemoteAddress($0) }, pdu: PDU(report.kind), data: report.data, rssi: report.rssi)
    }
}

extension Sighting.PDU {
    /// The PDU of a report.
    init(_ kind: ScanReport.Kind) {
        switch kind {
        case .connectableScannable: self = .connectableScannable
        case .directed: self = .directed
        case .scannable: self = .scannable
        case .nonConnectable: self = .nonConnectable
        case .scanResponse: self = .scanResponse
        case .extended(_, _, _, let isScanResponse): self = isScanResponse ? .extendedScanResponse : .extended
        }
    }
}

extension HCIStatus {
    /// The code of a reason.
    init(_ reason: DisconnectionReason) {
        self =
            switch reason {
            case .supervisionTimeout: .connectionTimeout
            case .integrityFailure: .connectionTerminatedMICFailure
            case .remoteUser: .remoteUserTerminatedConnection
            case .lowResources: .remoteDeviceTerminatedLowResources
            case .powerOff: .remoteDeviceTerminatedPowerOff
            case .authenticationFailure: .authenticationFailure
            case .unacceptableParameters: .unacceptableConnectionParameters
            }
    }
}
