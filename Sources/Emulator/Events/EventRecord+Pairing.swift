// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Profiles
import Radio

extension EventRecord {
    /// What became of a pairing.
    init(_ pairing: PairingEvent, device: String, central: String) {
        self.init(pairing.name, device: device)
        self.central = central
        switch pairing {
        case .began, .passkeyWanted: break
        case .passkeyShown(let number), .comparisonWanted(let number): passkey = ValueText.digits(of: number)
        case .paired(let peer):
            take(peer.address)
            bonded = peer.isBonded
            authenticated = peer.isAuthenticated
            secureConnections = peer.usesSecureConnections
            keySize = peer.keySize
        case .failed(let error):
            code = error.code.rawValue
            message = error.message
            hint = error.hint
        case .encrypted(let protection):
            authenticated = protection.isAuthenticated
            keySize = protection.keySize
        case .forgotten(let address): take(address)
        }
    }

    private mutating func take(_ address: RemoteAddress) {
        peer = address.address.description
        peerType = address.isRandom ? "random" : "public"
    }
}

extension PairingEvent {
    /// The event's name, which scripts may rely on.
    fileprivate var name: String {
        switch self {
        case .began: "pairing-began"
        case .passkeyShown: "passkey-shown"
        case .passkeyWanted: "passkey-wanted"
        case .comparisonWanted: "comparison-wanted"
        case .paired: "paired"
        case .failed: "pairing-failed"
        case .encrypted: "encrypted"
        case .forgotten: "bond-forgotten"
        }
    }
}
