// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import HCI

/// A point on the curve P-256 (Core 5.4, Vol 3, Part H, 3.5.6), or what a peer says is one.
package struct PairingPublicKey: WireCodable, Hashable {
    /// Its first coordinate, least significant octet first.
    package let x: Octets<32>
    /// Its second coordinate, least significant octet first.
    package let y: Octets<32>

    /// The key of these coordinates.
    package init(x: Octets<32>, y: Octets<32>) {
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

/// What names a long term key of legacy pairing (Core 5.4, Vol 3, Part H, 3.6.3); both are 0 for one of LE Secure
/// Connections.
package struct KeyName: WireCodable, Hashable {
    /// EDIV.
    package let encryptedDiversifier: UInt16
    /// Rand.
    package let randomNumber: UInt64

    /// The name of all keys of LE Secure Connections, and of short term keys.
    package static let none = KeyName(encryptedDiversifier: 0, randomNumber: 0)

    /// A name of these numbers.
    package init(encryptedDiversifier: UInt16, randomNumber: UInt64) {
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

/// What a user does while entering a passkey (Core 5.4, Vol 3, Part H, 3.5.8).
package struct KeypressNotification: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The entry has begun.
    package static let started = KeypressNotification(rawValue: 0)
    /// A digit was entered.
    package static let digitEntered = KeypressNotification(rawValue: 1)
    /// A digit was taken back.
    package static let digitErased = KeypressNotification(rawValue: 2)
    /// All digits were taken back.
    package static let cleared = KeypressNotification(rawValue: 3)
    /// The entry has ended.
    package static let completed = KeypressNotification(rawValue: 4)
}
