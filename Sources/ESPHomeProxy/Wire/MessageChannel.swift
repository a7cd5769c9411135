// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
import Crypto

/// The bytes of a connection to one client, as messages: plaintext frames, or Noise after a handshake.
///
///     plaintext:  frames ⟲                          (without a key)
///     encrypted:  hello → handshake → frames ⟲      (with a key)
///
/// A plaintext frame is 00, the length of the body, the type of the message, and the body; both numbers are varints. An
/// encrypted frame is 01, a length of two bytes, and that number of bytes; in it are, encrypted, the type and the length of
/// the message, two bytes each, and its body. What is not a frame ends the connection; a client that uses the other kind
/// gets the answer by which it recognises that. (esphome 2025.8 components/api/api_frame_helper_{plaintext,noise}.cpp)
package struct MessageChannel {
    /// What arrived.
    package enum Input: Hashable, Sendable {
        /// A message of this type.
        case message(type: UInt16, body: [UInt8])
        /// Bytes to send to the client.
        case send([UInt8])
        /// The end: nothing after it is read. The reason is a clause for people.
        case end(String)
    }

    private enum State {
        case plaintext
        /// The client's hello is due.
        case hello(EncryptionKey)
        /// The client's handshake message is due.
        case handshake(NoiseHandshake)
        case encrypted(receiving: NoiseCipher, sending: NoiseCipher)
        /// The client was refused; the end follows, with this reason.
        case ending(String)
        case ended
    }

    /// The longest body of a message, in bytes.
    package static let longestBody = 65_535
    /// The longest hello, in bytes; those of today's clients are empty.
    private static let longestHello = 256
    /// Type and length before the body of an encrypted message, in bytes.
    private static let innerHeaderLength = 4
    private static let prologue = "NoiseAPIInit"
    private static let wrongIndicator = "Bad indicator byte"

    private let name: String
    private let address: BluetoothAddress
    private let ephemeral: Curve25519.KeyAgreement.PrivateKey?
    private var state: State
    private var buffer: [UInt8] = []
    private var start = 0

    /// A connection at its beginning.
    /// - Parameters:
    ///   - key: the key of an encrypted proxy; `nil` for plaintext.
    ///   - name: the name of the proxy, which the handshake contains.
    ///   - address: the address of the proxy, which the handshake contains.
    ///   - ephemeral: the private key of the handshake, 32 bytes, for tests; by default a random one.
    package init(key: EncryptionKey?, name: String, address: BluetoothAddress, ephemeral: [UInt8]? = nil) {
        self.name = name
        self.address = address
        self.ephemeral = ephemeral.flatMap { try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
        state = key.map(State.hello) ?? .plaintext
    }

    /// The number of bytes that wait for the rest of a frame.
    package var bufferedCount: Int { buffer.count - start }

    /// Appends bytes of the client; `next()` takes what is complete.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        switch state {
        case .ending, .ended: return
        case .plaintext, .hello, .handshake, .encrypted: break
        }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer += bytes
    }

    /// The next input; `nil` until more bytes arrive.
    package mutating func next() -> Input? {
        switch state {
        case .ended: return nil
        case .ending(let reason): return end(reason)
        case .plaintext: return nextPlaintext()
        case .hello, .handshake, .encrypted: return nextEncrypted()
        }
    }

    /// The bytes of a message; `nil` if it is too long, or the handshake is not complete.
    package mutating func frame(type: UInt16, body: [UInt8]) -> [UInt8]? {
        guard body.count <= Self.longestBody else { return nil }
        switch state {
        case .plaintext:
            var writer = ProtobufWriter()
            writer.writeVarint(0)
            writer.writeVarint(UInt64(body.count))
            writer.writeVarint(UInt64(type))
            return writer.bytes + body
        case .encrypted(let receiving, var sending):
            guard body.count + Self.innerHeaderLength + NoiseHandshake.tagLength <= Self.longestBody,
                let sealed = sending.seal(Self.bigEndian(type) + Self.bigEndian(UInt16(body.count)) + body)
            else { return nil }
            state = .encrypted(receiving: receiving, sending: sending)
            return Self.outerFrame(sealed)
        case .hello, .handshake, .ending, .ended: return nil
        }
    }

    private mutating func end(_ reason: String) -> Input {
        state = .ended
        buffer = []
        start = 0
        return .end(reason)
    }

    /// Sends bytes, then ends the connection.
    private mutating func refuse(_ bytes: [UInt8], _ reason: String) -> Input {
        state = .ending(reason)
        return .send(bytes)
    }

    // MARK: - Plaintext

    private mutating func nextPlaintext() -> Input? {
        guard let indicator = buffer[start...].first else { return nil }
        if indicator == 1 {
            // A client with a key recognises by these bytes that there is none here.
            return refuse(
                [0] + Array(Self.wrongIndicator.utf8), "it uses a key, and this proxy has none (--esphome-key)")
        }
        guard indicator == 0 else { return end("it does not send frames of ESPHome's API") }
        var reader = ByteReader(buffer[(start + 1)...])
        do throws(WireError) {
            let length = try reader.readVarint(limit: 4)
            guard length <= UInt64(Self.longestBody) else { return end("its frame of \(length) bytes is too long") }
            let type = try reader.readVarint(limit: 4)
            guard let type = UInt16(exactly: type) else { return end("it sent the type \(type) of a message") }
            let body = Array(try reader.read(count: Int(length)))
            start = buffer.endIndex - reader.remaining
            return .message(type: type, body: body)
        } catch {
            if case .truncated = error.kind { return nil }
            return end("its frame is malformed (\(error))")
        }
    }

    // MARK: - Encrypted

    private mutating func nextEncrypted() -> Input? {
        guard let indicator = buffer[start...].first else { return nil }
        if indicator == 0 {
            // A client without a key recognises by this frame that one is needed.
            return refuse(
                Self.rejection(Self.wrongIndicator), "it uses no key, and this proxy has one (--esphome-key)")
        }
        guard indicator == 1 else { return end("it does not send frames of ESPHome's API") }
        guard buffer.count - start >= 3 else { return nil }
        let length = Int(buffer[start + 1]) << 8 | Int(buffer[start + 2])
        if case .hello = state, length > Self.longestHello { return end("its hello of \(length) bytes is too long") }
        guard buffer.count - start >= 3 + length else { return nil }
        let content = Array(buffer[start + 3..<start + 3 + length])
        start += 3 + length
        return take(content)
    }

    private mutating func take(_ content: [UInt8]) -> Input? {
        switch state {
        case .hello(let key): return .send(greet(content, key))
        case .handshake(let handshake): return finish(handshake, content)
        case .encrypted(let receiving, let sending):
            var receiving = receiving
            guard let plaintext = receiving.open(content) else { return end("its frame cannot be decrypted") }
            state = .encrypted(receiving: receiving, sending: sending)
            guard plaintext.count >= Self.innerHeaderLength else { return end("its message has no header") }
            let length = Int(plaintext[2]) << 8 | Int(plaintext[3])
            guard length <= plaintext.count - Self.innerHeaderLength else { return end("its message is truncated") }
            let body = Array(plaintext[Self.innerHeaderLength..<Self.innerHeaderLength + length])
            return .message(type: UInt16(plaintext[0]) << 8 | UInt16(plaintext[1]), body: body)
        case .plaintext, .ending, .ended: return nil
        }
    }

    /// Answers the hello with the protocol, the name and the address.
    private mutating func greet(_ hello: [UInt8], _ key: EncryptionKey) -> [UInt8] {
        let prologue = Array(Self.prologue.utf8) + Self.bigEndian(UInt16(hello.count)) + hello
        state = .handshake(NoiseHandshake(key, prologue: prologue))
        let address = Hexadecimal.string(self.address.octets).lowercased()
        return Self.outerFrame([1] + Array(name.utf8) + [0] + Array(address.utf8) + [0])
    }

    private mutating func finish(_ handshake: NoiseHandshake, _ content: [UInt8]) -> Input {
        var handshake = handshake
        guard content.first == 0 else {
            return refuse(Self.rejection("Bad handshake error byte"), "its handshake is malformed")
        }
        do throws(NoiseHandshake.Failure) {
            let (reply, receiving, sending) = try handshake.respond(
                to: content.dropFirst(), ephemeral: ephemeral ?? Curve25519.KeyAgreement.PrivateKey())
            state = .encrypted(receiving: receiving, sending: sending)
            return .send(Self.outerFrame([0] + reply))
        } catch {
            // By this text clients recognise a wrong key.
            return refuse(Self.rejection("Handshake MAC failure"), "it has another key (--esphome-key)")
        }
    }

    private static func rejection(_ reason: String) -> [UInt8] { outerFrame([1] + Array(reason.utf8)) }

    private static func outerFrame(_ content: [UInt8]) -> [UInt8] {
        [1] + bigEndian(UInt16(content.count)) + content
    }

    private static func bigEndian(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
}
