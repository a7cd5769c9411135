// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Crypto

/// The bytes of a connection to one client, as messages: plaintext frames, or Noise after a handshake.
///
///     plaintext:  frames ⟲                          (without a key)
///     encrypted:  hello → handshake → frames ⟲      (with a key)
///
/// What is not a frame ends the connection; a client that uses the other kind gets the answer by which it recognises that.
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
        case encrypted(MessageCiphers)
        /// The client was refused; the end follows, with this reason.
        case ending(String)
        case ended
    }

    /// The longest body of a message, in bytes.
    package static let longestBody = Frame.longestBody
    /// The longest hello, in bytes; today's clients send an empty one.
    private static let longestHello = 256
    private static let wrongIndicator = "Bad indicator byte"

    private let name: String
    private let address: BluetoothAddress
    private let ephemeral: Curve25519.KeyAgreement.PrivateKey?
    private var state: State
    private var reader = FrameReader()

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
    package var bufferedCount: Int { reader.bufferedCount }

    /// Appends bytes of the client; `next()` takes what is complete.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        switch state {
        case .ending, .ended: return
        case .plaintext, .hello, .handshake, .encrypted: reader.append(bytes)
        }
    }

    /// The next input; `nil` until more bytes arrive.
    package mutating func next() -> Input? {
        do throws(Frame.Fault) {
            switch state {
            case .ended: return nil
            case .ending(let reason): return end(reason)
            case .plaintext: return try nextPlaintext()
            case .hello, .handshake, .encrypted: return try nextEncrypted()
            }
        } catch {
            return end(error.reason)
        }
    }

    /// The bytes of a message; `nil` if it is too long, or the handshake is not complete.
    package mutating func frame(type: UInt16, body: [UInt8]) -> [UInt8]? {
        switch state {
        case .plaintext: return Frame.plaintext(type: type, body: body)
        case .encrypted(var ciphers):
            guard let frame = ciphers.frame(type: type, body: body) else { return nil }
            state = .encrypted(ciphers)
            return frame
        case .hello, .handshake, .ending, .ended: return nil
        }
    }

    private mutating func end(_ reason: String) -> Input {
        state = .ended
        reader.removeAll()
        return .end(reason)
    }

    /// Sends bytes, then ends the connection.
    private mutating func refuse(_ bytes: [UInt8], _ reason: String) -> Input {
        state = .ending(reason)
        return .send(bytes)
    }

    private mutating func nextPlaintext() throws(Frame.Fault) -> Input? {
        switch reader.indicator {
        case nil: return nil
        case Frame.plaintextIndicator:
            return try reader.nextPlaintext().map { .message(type: $0.type, body: $0.body) }
        case Frame.encryptedIndicator:
            // A client with a key recognises by these bytes that there is none here.
            return refuse(
                [0] + Array(Self.wrongIndicator.utf8), "it uses a key, and this proxy has none (--esphome-key)")
        default: throw Frame.Fault("it does not send frames of ESPHome's API")
        }
    }

    private mutating func nextEncrypted() throws(Frame.Fault) -> Input? {
        switch reader.indicator {
        case nil: return nil
        case Frame.plaintextIndicator:
            // A client without a key recognises by this frame that one is needed.
            return refuse(
                Self.rejection(Self.wrongIndicator), "it uses no key, and this proxy has one (--esphome-key)")
        case Frame.encryptedIndicator: return try takeContent()
        default: throw Frame.Fault("it does not send frames of ESPHome's API")
        }
    }

    private mutating func takeContent() throws(Frame.Fault) -> Input? {
        switch state {
        case .hello(let key):
            return try reader.nextEncrypted(limit: Self.longestHello).map { .send(greet($0, key)) }
        case .handshake(let handshake): return try reader.nextEncrypted().map { finish(handshake, $0) }
        case .encrypted(var ciphers):
            guard let content = try reader.nextEncrypted() else { return nil }
            let (type, body) = try ciphers.open(content)
            state = .encrypted(ciphers)
            return .message(type: type, body: body)
        case .plaintext, .ending, .ended: return nil
        }
    }

    /// Answers the hello with the protocol, the name and the address.
    private mutating func greet(_ hello: [UInt8], _ key: EncryptionKey) -> [UInt8] {
        state = .handshake(NoiseHandshake(key, prologue: Frame.prologue(hello: hello), ephemeral: ephemeral))
        let address = Hexadecimal.string(self.address.octets).lowercased()
        return Frame.encrypted([1] + Array(name.utf8) + [0] + Array(address.utf8) + [0])
    }

    private mutating func finish(_ handshake: NoiseHandshake, _ content: [UInt8]) -> Input {
        var handshake = handshake
        guard content.first == 0 else {
            return refuse(Self.rejection("Bad handshake error byte"), "its handshake is malformed")
        }
        do throws(NoiseHandshake.Failure) {
            let (reply, ciphers) = try handshake.respond(to: content.dropFirst())
            state = .encrypted(ciphers)
            return .send(Frame.encrypted([0] + reply))
        } catch {
            // By this text clients recognise a wrong key.
            return refuse(Self.rejection(NoiseHandshake.macFailure), "it has another key (--esphome-key)")
        }
    }

    private static func rejection(_ reason: String) -> [UInt8] { Frame.encrypted([1] + Array(reason.utf8)) }
}
