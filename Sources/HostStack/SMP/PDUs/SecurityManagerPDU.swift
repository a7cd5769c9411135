// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

/// A PDU of the security manager: a code and its parameters (Core 5.4, Vol 3, Part H, 3.3).
package enum SecurityManagerPDU: Hashable, Sendable {
    case pairingRequest(PairingFeatures)
    case pairingResponse(PairingFeatures)
    /// The confirm value of a random number.
    case pairingConfirm(Octets<16>)
    case pairingRandom(Octets<16>)
    case pairingFailed(PairingFailedReason)
    /// A long term key of legacy pairing.
    case encryptionInformation(Octets<16>)
    /// The name of the long term key.
    case centralIdentification(KeyName)
    /// An identity resolving key.
    case identityInformation(Octets<16>)
    /// The identity address: public or static random.
    case identityAddressInformation(PeerAddress)
    /// A connection signature resolving key.
    case signingInformation(Octets<16>)
    /// A peripheral requests encryption.
    case securityRequest(AuthenticationRequirements)
    case pairingPublicKey(PairingPublicKey)
    case pairingKeyCheck(Octets<16>)
    case keypressNotification(KeypressNotification)
    /// Any other code, with its parameters.
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
        case .unknown(_, let parameters): writer.write(parameters)
        }
    }
}

/// A public key: a point on the curve P-256, not yet checked if it comes from a peer (Core 5.4, Vol 3, Part H, 3.5.6).
package struct PairingPublicKey: WireCodable, Hashable {
    /// The first coordinate, least significant byte first.
    let x: Octets<32>
    /// The second coordinate, least significant byte first.
    let y: Octets<32>

    /// The key of these coordinates.
    init(x: Octets<32>, y: Octets<32>) {
        self.x = x
        self.y = y
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        x = try Octets(parsing: &reader)
        y = try Octets(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        x.serialize(into: &writer)
        y.serialize(into: &writer)
    }
}

/// The name of a long term key of legacy pairing (Core 5.4, Vol 3, Part H, 3.6.3); both numbers are 0 with LE Secure
/// Connections.
package struct KeyName: WireCodable, Hashable {
    /// EDIV.
    let encryptedDiversifier: UInt16
    /// Rand.
    let randomNumber: UInt64

    /// No name: a key of LE Secure Connections, or a short term key.
    static let none = KeyName(encryptedDiversifier: 0, randomNumber: 0)
    init(encryptedDiversifier: UInt16, randomNumber: UInt64) {
        self.encryptedDiversifier = encryptedDiversifier
        self.randomNumber = randomNumber
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        encryptedDiversifier = try reader.readLittleEndian()
        randomNumber = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(encryptedDiversifier)
        writer.writeLittleEndian(randomNumber)
    }
}

/// An action of the user who enters a passkey (Core 5.4, Vol 3, Part H, 3.5.8).
package struct KeypressNotification: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The entry started.
    static let started = KeypressNotification(rawValue: 0)
    /// A digit was entered.
    static let digitEntered = KeypressNotification(rawValue: 1)
    /// A digit was erased.
    static let digitErased = KeypressNotification(rawValue: 2)
    /// All digits were erased.
    static let cleared = KeypressNotification(rawValue: 3)
    /// The entry ended.
    static let completed = KeypressNotification(rawValue: 4)
}
