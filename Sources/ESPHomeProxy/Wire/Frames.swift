// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Protobuf

/// The frames of ESPHome's API.
///
/// A plaintext frame is 00, the length of the body, the type of the message, and the body; both numbers are varints. An
/// encrypted frame is 01, a length of two bytes, and that number of bytes. (esphome 2025.8
/// components/api/api_frame_helper_{plaintext,noise}.cpp)
enum Frame {
    /// Why bytes of a peer are no frame or message.
    struct Fault: Error, Hashable {
        /// A clause for people, whose subject is the peer.
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The first byte of a plaintext frame.
    static let plaintextIndicator: UInt8 = 0
    /// The first byte of an encrypted frame.
    static let encryptedIndicator: UInt8 = 1
    /// The longest body of a message, in bytes.
    static let longestBody = 65_535

    /// The plaintext frame of a message; `nil` if it is too long.
    static func plaintext(type: UInt16, body: [UInt8]) -> [UInt8]? {
        guard body.count <= longestBody else { return nil }
        var writer = ProtobufWriter()
        writer.writeVarint(UInt64(plaintextIndicator))
        writer.writeVarint(UInt64(body.count))
        writer.writeVarint(UInt64(type))
        return writer.bytes + body
    }

    /// The encrypted frame with a content of at most 65,535 bytes.
    static func encrypted(_ content: [UInt8]) -> [UInt8] {
        [encryptedIndicator] + bigEndian(UInt16(content.count)) + content
    }

    /// The prologue of the handshake: both sides have it from the client's hello.
    static func prologue(hello: [UInt8]) -> [UInt8] {
        Array("NoiseAPIInit".utf8) + bigEndian(UInt16(hello.count)) + hello
    }

    static func bigEndian(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
}

/// The bytes of a peer, as frames; the bytes of an incomplete frame wait.
struct FrameReader {
    private var buffer: [UInt8] = []
    private var start = 0

    /// The number of bytes that wait for the rest of a frame.
    var bufferedCount: Int { buffer.count - start }

    /// The first byte of the next frame; `nil` without one.
    var indicator: UInt8? { start < buffer.count ? buffer[start] : nil }

    /// Appends bytes of the peer.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer += bytes
    }

    /// Drops all bytes.
    mutating func removeAll() {
        buffer = []
        start = 0
    }

    /// Takes the next frame, which is in plaintext; `nil` until it is complete.
    mutating func nextPlaintext() throws(Frame.Fault) -> (type: UInt16, body: [UInt8])? {
        guard start < buffer.count else { return nil }
        var reader = ByteReader(buffer[(start + 1)...])
        guard let length = try Self.number(&reader) else { return nil }
        guard length <= UInt64(Frame.longestBody) else {
            throw Frame.Fault("its frame of \(length) bytes is too long")
        }
        guard let type = try Self.number(&reader) else { return nil }
        guard let type = UInt16(exactly: type) else { throw Frame.Fault("it sent the type \(type) of a message") }
        guard let body = try? reader.read(count: Int(length)) else { return nil }
        start = buffer.endIndex - reader.remaining
        return (type, Array(body))
    }

    /// Reads a number of the header; `nil` if its end is missing.
    private static func number(_ reader: inout ByteReader) throws(Frame.Fault) -> UInt64? {
        do throws(WireError) {
            return try reader.readVarint(limit: 4)
        } catch {
            if case .truncated = error.kind { return nil }
            throw Frame.Fault("its frame is malformed (\(error))")
        }
    }

    /// Takes the content of the next frame, which is encrypted; `nil` until it is complete.
    /// - Parameter limit: the most bytes that it may have.
    mutating func nextEncrypted(limit: Int = Frame.longestBody) throws(Frame.Fault) -> [UInt8]? {
        guard bufferedCount >= 3 else { return nil }
        let length = Int(buffer[start + 1]) << 8 | Int(buffer[start + 2])
        guard length <= limit else { throw Frame.Fault("its frame of \(length) bytes is too long") }
        guard bufferedCount >= 3 + length else { return nil }
        defer { start += 3 + length }
        return Array(buffer[start + 3..<start + 3 + length])
    }
}

/// The ciphers of a connection after the handshake. In an encrypted frame are the type and the length of a message, two bytes
/// each, and its body.
struct MessageCiphers {
    private static let headerLength = 4

    private var receiving: NoiseCipher
    private var sending: NoiseCipher

    init(receiving: NoiseCipher, sending: NoiseCipher) {
        self.receiving = receiving
        self.sending = sending
    }

    /// The message in the content of a frame.
    mutating func open(_ content: [UInt8]) throws(Frame.Fault) -> (type: UInt16, body: [UInt8]) {
        guard let plaintext = receiving.open(content) else { throw Frame.Fault("its frame cannot be decrypted") }
        guard plaintext.count >= Self.headerLength else { throw Frame.Fault("its message has no header") }
        let length = Int(plaintext[2]) << 8 | Int(plaintext[3])
        guard length <= plaintext.count - Self.headerLength else { throw Frame.Fault("its message is truncated") }
        let type = UInt16(plaintext[0]) << 8 | UInt16(plaintext[1])
        return (type, Array(plaintext[Self.headerLength..<Self.headerLength + length]))
    }

    /// The frame of a message; `nil` if it is too long.
    mutating func frame(type: UInt16, body: [UInt8]) -> [UInt8]? {
        guard body.count + Self.headerLength + NoiseHandshake.tagLength <= Frame.longestBody,
            let sealed = sending.seal(Frame.bigEndian(type) + Frame.bigEndian(UInt16(body.count)) + body)
        else { return nil }
        return Frame.encrypted(sealed)
    }
}
