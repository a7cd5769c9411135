// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// Eddystone-eTLM, frame type 0x20, version 0x01: telemetry for holders of the identity key, used with Eddystone-EID.
///
/// The telemetry is not decrypted.
public struct EddystoneEncryptedTLM: Hashable, Sendable {
    /// The encrypted telemetry, 12 bytes.
    public let ciphertext: [UInt8]
    /// A value that makes the nonce of each frame different.
    public let salt: UInt16
    /// A code that proves that the sender has the key.
    public let integrityCheck: UInt16

    /// A frame with these values; `nil` unless the ciphertext has 12 bytes.
    public init?(ciphertext: [UInt8], salt: UInt16, integrityCheck: UInt16) {
        guard ciphertext.count == 12 else { return nil }
        self.ciphertext = ciphertext
        self.salt = salt
        self.integrityCheck = integrityCheck
    }
}

extension EddystoneEncryptedTLM: EddystoneFrame {
    /// Parses the 18 bytes after the service UUID.
    /// - Throws: `WireError`: truncated, or `.badValue` if type and version are not 0x20 0x01.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        try Eddystone.readType([0x20, 0x01], &reader)
        ciphertext = Array(try reader.read(count: 12))
        salt = try reader.readBigEndian()
        integrityCheck = try reader.readBigEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeBigEndian(UInt16(0x2001))
        writer.write(ciphertext)
        writer.writeBigEndian(salt)
        writer.writeBigEndian(integrityCheck)
    }
}

extension EddystoneEncryptedTLM: BeaconFormat {
    public static let formatName = "eddystone-etlm"

    /// As of telemetry that is not encrypted.
    public var identity: BeaconIdentity? { nil }

    public var fields: [BeaconField] {
        func digits(_ value: UInt16) -> String { Hexadecimal.string([UInt8(value >> 8), UInt8(value & 0xFF)]) }
        let ciphertext = Hexadecimal.string(ciphertext)
        return [
            BeaconField("ciphertext", .text(ciphertext), text: "encrypted \(ciphertext)"),
            BeaconField("salt", .text(digits(salt)), text: "salt \(digits(salt))"),
            BeaconField("integrityCheck", .text(digits(integrityCheck)), text: "check \(digits(integrityCheck))"),
        ]
    }
}
