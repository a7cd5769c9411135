// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
import Crypto
import CryptoExtras

/// The key that encrypts the frames of a sensor: 16 bytes. Its text is not printed.
package struct BindKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// A key of 32 hexadecimal digits.
    /// - Parameter readsShort: whether 24 digits are a key, too, of MiBeacon before version 4.
    /// - Throws: `ValueFault` for another text, which it does not repeat.
    package init(_ text: String, readsShort: Bool = false) throws(ValueFault) {
        let digits = text.filter { !$0.isWhitespace }
        switch try? Hexadecimal.bytes(digits) {
        case let bytes? where bytes.count == 16: self.bytes = bytes
        // xiaomi-ble, parser.py: four bytes are inserted.
        case let bytes? where bytes.count == 12 && readsShort:
            self.bytes = bytes[..<6] + [0x8D, 0x3D, 0x3C, 0x97] + bytes[6...]
        default:
            throw ValueFault(
                "a bind key is 16 bytes; write 32 hexadecimal digits, or name an environment variable: ${KEY}")
        }
    }

    package var description: String { "..." }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// AES-CCM (RFC 3610) with a message integrity code of 4 bytes, as sensors use it.
enum SensorCipher {
    private static let codeLength = 4

    /// The ciphertext and the code of a message.
    /// - Parameters:
    ///   - nonce: 11 to 13 bytes.
    ///   - additional: data that is authenticated only; at most 14 bytes.
    static func seal(_ message: [UInt8], key: BindKey, nonce: [UInt8], additional: [UInt8] = []) -> (
        ciphertext: [UInt8], code: [UInt8]
    ) {
        let code = authentication(of: message, key, nonce, additional)
        let stream = self.stream(message.count, key, nonce)
        return (zip(message, stream.dropFirst(16)).map(^), zip(code, stream).map(^))
    }

    /// The message of a ciphertext; `nil` if the code is not its own: another key, or another sender. A shorter code is not verified.
    static func open(
        _ ciphertext: [UInt8], code: [UInt8], key: BindKey, nonce: [UInt8], additional: [UInt8] = []
    ) -> [UInt8]? {
        let stream = self.stream(ciphertext.count, key, nonce)
        let message = zip(ciphertext, stream.dropFirst(16)).map(^)
        guard code.count == codeLength else { return message }
        let own = zip(authentication(of: message, key, nonce, additional), stream).map(^)
        return own == code ? message : nil
    }

    private static func authentication(of message: [UInt8], _ key: BindKey, _ nonce: [UInt8], _ additional: [UInt8])
        -> [UInt8]
    {
        let lengthSize = 15 - nonce.count
        let flags = UInt8((additional.isEmpty ? 0 : 0x40) | ((codeLength - 2) / 2) << 3 | (lengthSize - 1))
        var blocks = [flags] + nonce + number(message.count, lengthSize)
        if !additional.isEmpty { blocks += padded(number(additional.count, 2) + additional) }
        blocks += padded(message)
        var state = [UInt8](repeating: 0, count: 16)
        for start in stride(from: 0, to: blocks.count, by: 16) {
            state = block(zip(state, blocks[start..<start + 16]).map(^), key)
        }
        return Array(state.prefix(codeLength))
    }

    /// The key stream: the block for the code, then those for the message.
    private static func stream(_ count: Int, _ key: BindKey, _ nonce: [UInt8]) -> [UInt8] {
        let lengthSize = 15 - nonce.count
        return (0...(count + 15) / 16).flatMap { block([UInt8(lengthSize - 1)] + nonce + number($0, lengthSize), key) }
    }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16)
    }

    private static func block(_ input: [UInt8], _ key: BindKey) -> [UInt8] {
        var bytes = input
        // This cannot fail with 16 bytes.
        try? AES.permute(&bytes, key: SymmetricKey(data: key.bytes))
        return bytes
    }
}

extension EncryptableBeacon {
    /// The frame, encrypted for a sender.
    func encrypted(with key: BindKey, from sender: BluetoothAddress, counter: UInt32) -> any EncryptedBeacon {
        var frame = encryptable(from: sender, counter: counter)
        (frame.ciphertext, frame.code) = SensorCipher.seal(
            frame.ciphertext, key: key, nonce: frame.nonce(sender), additional: type(of: frame).additional)
        return frame
    }
}

extension EncryptedBeacon {
    /// The frame with its values; `nil` if the key is not the key of the sender.
    package func opened(with key: BindKey, from sender: BluetoothAddress) -> BeaconFrame? {
        SensorCipher.open(ciphertext, code: code, key: key, nonce: nonce(sender), additional: Self.additional)
            .flatMap(opened)
    }
}
