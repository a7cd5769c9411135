// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A sensor whose frames can be encrypted.
package protocol EncryptedSensor: SentSensor {
    /// The header of the encrypted frame, and the values after it as they are before the encryption: their layout.
    associatedtype Opened: Sensor
    /// What an encrypted frame has besides.
    static var envelope: SensorEnvelope { get }
}

/// The header and the counter of an encrypted frame. docs/beacon-formats.md has the sources.
package enum SensorEnvelope: Sendable {
    /// The firmware of pvvx: a counter, the ciphertext and a code of 4 bytes, recognised by their number.
    case pvvx
    /// MiBeacon: the header of the plain frame with the bit "encrypted", the ciphertext, 3 bytes of a counter, and a code, of 4 bytes
    /// from version 4 on.
    case miBeacon

    /// The bits of the first two bytes of MiBeacon: encrypted, with objects; authentication mode 2.
    private static let (encrypted, objects, mode): (UInt8, UInt8, UInt8) = (0x08, 0x40, 0x08)

    /// A frame in parts.
    struct Parts: Hashable, Sendable {
        var header: [UInt8]
        var ciphertext: [UInt8]
        /// The bytes of the counter after the ciphertext.
        var counter: [UInt8]
        var code: [UInt8]

        var bytes: [UInt8] { header + ciphertext + counter + code }
    }

    /// The parts of a frame; `nil` for bytes that are none.
    /// - Parameter opened: the layout of the frame before its encryption.
    func parts(of bytes: [UInt8], _ opened: SensorLayout) -> Parts? {
        switch self {
        case .pvvx:
            guard bytes.count == opened.template.count + 4 else { return nil }
            return Parts(bytes, header: 1, counter: 0, code: 4)
        case .miBeacon:
            let bits = Self.encrypted | Self.objects
            guard bytes.count > 5, bytes[0] & bits == bits, 2...5 ~= bytes[1] >> 4, let start = opened.start(of: bytes)
            else { return nil }
            return Parts(bytes, header: start, counter: 3, code: bytes[1] >> 4 < 4 ? 1 : 4)
        }
    }

    /// A frame with its values in the place of the ciphertext, and no code.
    /// - Parameter bytes: the header and the values.
    func parts(plain bytes: [UInt8], _ opened: SensorLayout, counter: UInt32) -> Parts {
        let octets = (0..<4).map { UInt8(truncatingIfNeeded: counter >> ($0 * 8)) }
        // The layout of a list begins with a whole header.
        let count = opened.start(of: bytes) ?? 1
        var parts = Parts(
            header: Array(bytes[..<count]), ciphertext: Array(bytes[count...]), counter: [], code: [])
        switch self {
        case .pvvx: parts.header[0] = octets[0]
        case .miBeacon:
            parts.header[0] |= Self.encrypted
            parts.header[1] |= Self.mode
            parts.header[4] = octets[0]
            parts.counter = Array(octets[1...])
        }
        return parts
    }

    /// The header and the values of a frame, as before its encryption.
    func plain(_ parts: Parts, _ message: [UInt8]) -> [UInt8] {
        var header = parts.header
        if self == .miBeacon { header[0] &= ~Self.encrypted }
        return header + message
    }

    func nonce(_ parts: Parts, _ opened: SensorLayout, from sender: BluetoothAddress) -> [UInt8] {
        let reversed = Array(sender.octets.reversed())
        switch self {
        case .pvvx:
            // The AD structure before its code: the length, the type and the service.
            return reversed + [UInt8(parts.header.count + parts.ciphertext.count + 7), 0x16, 0x1A, 0x18] + parts.header
        case .miBeacon:
            let own = opened.address(in: parts.header).map { Array($0.octets.reversed()) } ?? reversed
            guard parts.header[1] >> 4 >= 4 else { return parts.header[..<5] + parts.counter + own.prefix(5) }
            return own + parts.header[2..<5] + parts.counter
        }
    }

    /// The counter of a frame.
    func counter(_ parts: Parts) -> Int {
        let octets = (self == .pvvx ? [parts.header[0]] : [parts.header[4]]) + parts.counter
        return octets.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension SensorEnvelope.Parts {
    /// `nil` for bytes without a ciphertext.
    fileprivate init?(_ bytes: [UInt8], header: Int, counter: Int, code: Int) {
        let end = bytes.count - counter - code
        guard end > header else { return nil }
        self.init(
            header: Array(bytes[..<header]), ciphertext: Array(bytes[header..<end]),
            counter: Array(bytes[end..<end + counter]), code: Array(bytes.suffix(code)))
    }
}

/// An encrypted frame of a sensor: its values can be read with the bind key of the device.
package struct EncryptedSensorFrame<Kind: EncryptedSensor>: Hashable, Sendable {
    private var parts: SensorEnvelope.Parts

    fileprivate init(_ parts: SensorEnvelope.Parts) { self.parts = parts }
}

extension EncryptedSensorFrame: BeaconFormat {
    package static var formatName: String { Kind.layout.name + "-encrypted" }

    /// A sensor is known by its address.
    package var identity: BeaconIdentity? { nil }

    package init?(_ structure: AdvertisingStructure) {
        guard let bytes = Kind.layout.bytes(of: structure),
            let parts = Kind.envelope.parts(of: bytes, Kind.Opened.layout)
        else { return nil }
        self.parts = parts
    }

    package var structure: AdvertisingStructure { Kind.layout.structure(of: parts.bytes) }

    package var fields: [BeaconField] {
        let counter = Kind.envelope.counter(parts)
        let digits = Hexadecimal.string(parts.ciphertext)
        return [
            BeaconField("counter", .integer(counter), text: "counter \(counter)"),
            BeaconField("encrypted", .text(digits), text: "encrypted \(digits)"),
        ]
    }
}

extension EncryptedSensorFrame: EncryptedBeacon {
    package static var additional: [UInt8] { [0x11] }

    package var ciphertext: [UInt8] {
        get { parts.ciphertext }
        set { parts.ciphertext = newValue }
    }

    package var code: [UInt8] {
        get { parts.code }
        set { parts.code = newValue }
    }

    package func nonce(_ sender: BluetoothAddress) -> [UInt8] {
        Kind.envelope.nonce(parts, Kind.Opened.layout, from: sender)
    }

    package func opened(_ message: [UInt8]) -> BeaconFrame? {
        let structure = Kind.layout.structure(of: Kind.envelope.plain(parts, message))
        return SensorFrame<Kind.Opened>(structure).map { BeaconFrame($0) }
    }
}

extension SensorFrame: EncryptableBeacon where Kind: EncryptedSensor {
    package func encryptable(from sender: BluetoothAddress, counter: UInt32) -> any EncryptedBeacon {
        let opened = Kind.Opened.layout
        let numbers = opened.fields.map { field in value(field.key).map(field.number) }
        let bytes = opened.bytes(numbers, text: "", address: sender)
        return EncryptedSensorFrame<Kind>(Kind.envelope.parts(plain: bytes, opened, counter: counter))
    }

    package static var keysWithoutEncryption: [String] {
        let carried = Set(Kind.Opened.layout.fields.map(\.key))
        return Kind.layout.fields.filter { $0.content == .counter || !carried.contains($0.key) }.map(\.key)
    }
}
