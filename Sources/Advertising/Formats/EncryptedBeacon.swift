// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A frame whose values are encrypted with AES-CCM (RFC 3610). The cipher is not part of this target (`SensorCipher`).
package protocol EncryptedBeacon: BeaconFormat {
    /// The encrypted values.
    var ciphertext: [UInt8] { get set }
    /// The message integrity code, 4 bytes; shorter in a frame whose code cannot be verified.
    var code: [UInt8] { get set }
    /// Data that is authenticated, but not encrypted.
    static var additional: [UInt8] { get }
    /// The nonce, 11 to 13 bytes.
    /// - Parameter sender: the address of the advertiser; an address in the frame takes precedence.
    func nonce(_ sender: BluetoothAddress) -> [UInt8]
    /// The frame of the decrypted values; `nil` for bytes that are no values.
    func opened(_ message: [UInt8]) -> BeaconFrame?
}

/// A frame that can be sent encrypted.
package protocol EncryptableBeacon: TransmittableBeacon {
    /// The encrypted frame before its encryption: its values are in the place of the ciphertext, and it has no code.
    func encryptable(from sender: BluetoothAddress, counter: UInt32) -> any EncryptedBeacon
    /// The keys whose values the encrypted frame does not have, or takes from its counter.
    static var keysWithoutEncryption: [String] { get }
}
