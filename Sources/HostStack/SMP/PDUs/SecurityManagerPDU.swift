// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import HCI

/// What goes over the security manager's channel (Core 5.4, Vol 3, Part H, 3.3): a code, and what belongs to it.
package enum SecurityManagerPDU: Hashable, Sendable {
    case pairingRequest(PairingFeatures)
    case pairingResponse(PairingFeatures)
    /// What is sent of a random number before the number itself.
    case pairingConfirm(Octets<16>)
    case pairingRandom(Octets<16>)
    case pairingFailed(PairingFailedReason)
    /// A long term key of legacy pairing.
    case encryptionInformation(Octets<16>)
    /// The name of the long term key.
    case centralIdentification(KeyName)
    /// An identity resolving key.
    case identityInformation(Octets<16>)
    /// The address behind private ones: public or static random.
    case identityAddressInformation(PeerAddress)
    /// A connection signature resolving key.
    case signingInformation(Octets<16>)
    /// A peripheral wants the link encrypted.
    case securityRequest(AuthenticationRequirements)
    case pairingPublicKey(PairingPublicKey)
    case pairingKeyCheck(Octets<16>)
    case keypressNotification(KeypressNotification)
    /// Any other code with what follows it.
    case unknown(UInt8, [UInt8])

    /// The code.
    package var code: UInt8 {
        switch self {
        case .pairingRequest: 0x01
        case .pairingResponse: 0x02
        case .pairingConfirm: 0x03
        case .pairingRandom: 0x04
        case .pairingFailed: 0x05
        case .encryptionInformation: 0x06
        case .centralIdentification: 0x07
        case .identityInformation: 0x08
        case .identityAddressInformation: 0x09
        case .signingInformation: 0x0A
        case .securityRequest: 0x0B
        case .pairingPublicKey: 0x0C
        case .pairingKeyCheck: 0x0D
        case .keypressNotification: 0x0E
        case .unknown(let code, _): code
        }
    }
}

extension SecurityManagerPDU: WireCodable {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        let code = try reader.readUInt8()
        switch code {
        case 0x01: self = .pairingRequest(try PairingFeatures(parsing: &reader))
        case 0x02: self = .pairingResponse(try PairingFeatures(parsing: &reader))
        case 0x03: self = .pairingConfirm(try Octets(parsing: &reader))
        case 0x04: self = .pairingRandom(try Octets(parsing: &reader))
        case 0x05: self = .pairingFailed(try PairingFailedReason(parsing: &reader))
        case 0x06: self = .encryptionInformation(try Octets(parsing: &reader))
        case 0x07: self = .centralIdentification(try KeyName(parsing: &reader))
        case 0x08: self = .identityInformation(try Octets(parsing: &reader))
        case 0x09:
            let type = try AddressType(parsing: &reader)
            self = .identityAddressInformation(PeerAddress(try BluetoothAddress(parsing: &reader), type: type))
        case 0x0A: self = .signingInformation(try Octets(parsing: &reader))
        case 0x0B: self = .securityRequest(try AuthenticationRequirements(parsing: &reader))
        case 0x0C: self = .pairingPublicKey(try PairingPublicKey(parsing: &reader))
        case 0x0D: self = .pairingKeyCheck(try Octets(parsing: &reader))
        case 0x0E: self = .keypressNotification(try KeypressNotification(parsing: &reader))
        default: self = .unknown(code, Array(reader.readAll()))
        }
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(code)
        switch self {
        case .pairingRequest(let features), .pairingResponse(let features): features.serialize(into: &writer)
        case .pairingConfirm(let value), .pairingRandom(let value), .encryptionInformation(let value),
            .identityInformation(let value), .signingInformation(let value), .pairingKeyCheck(let value):
            value.serialize(into: &writer)
        case .pairingFailed(let reason): reason.serialize(into: &writer)
        case .centralIdentification(let name): name.serialize(into: &writer)
        case .identityAddressInformation(let identity):
            identity.type.serialize(into: &writer)
            identity.address.serialize(into: &writer)
        case .securityRequest(let requirements): requirements.serialize(into: &writer)
        case .pairingPublicKey(let key): key.serialize(into: &writer)
        case .keypressNotification(let notification): notification.serialize(into: &writer)
        case .unknown(_, let octets): writer.write(octets)
        }
    }
}
