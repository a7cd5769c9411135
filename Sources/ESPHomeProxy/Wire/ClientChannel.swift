// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The bytes of a connection to a proxy, as messages: what `MessageChannel` is for the proxy.
///
///     plaintext:  frames ⟲                             (without a key)
///     encrypted:  greeting → handshake → frames ⟲      (with a key)
///
/// With a key, the client sends its hello and its handshake message at once. What is not a frame ends the connection.
package struct ClientChannel {
    /// Why a connection ends.
    package enum Fault: Error, Hashable, Sendable {
        /// The proxy has a key, and none was given.
        case keyRequired
        /// The proxy has no key, and one was given.
        case noKey
        /// The proxy has another key than the one that was given.
        case otherKey
        /// The proxy refused the handshake, with a text that may have any characters.
        case refusedHandshake(String)
        /// What the proxy sent is not the protocol: a clause for people.
        case malformed(String)
    }

    /// What arrived.
    package enum Input: Hashable, Sendable {
        /// The handshake is complete: messages can be sent.
        case ready
        /// A message of this type.
        case message(type: UInt16, body: [UInt8])
        /// The end: nothing after it is read.
        case end(Fault)
    }

    private enum State {
        case plaintext
        /// The proxy's greeting is due: the protocol and its name.
        case greeting(NoiseHandshake)
        /// The proxy's handshake message is due.
        case handshake(NoiseHandshake)
        case encrypted(MessageCiphers)
        case ended
    }

    /// What the client sends first; empty in plaintext.
    package let opening: [UInt8]
    private var state: State
    private var reader = FrameReader()
    /// Whether `ready` is due.
    private var isReady: Bool

    /// A connection at its beginning.
    /// - Parameters:
    ///   - key: the key of the proxy; `nil` for plaintext.
    ///   - ephemeral: the private key of the handshake, 32 bytes, for tests; by default a random one.
    package init(key: EncryptionKey?, ephemeral: [UInt8]? = nil) {
        isReady = key == nil
        guard let key else {
            opening = []
            state = .plaintext
            return
        }
        let hello: [UInt8] = []
        var handshake = NoiseHandshake(
            key, prologue: Frame.prologue(hello: hello),
            ephemeral: ephemeral.flatMap { try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) })
        opening = Frame.encrypted(hello) + Frame.encrypted([0] + handshake.initiate())
        state = .greeting(handshake)
    }

    /// The number of bytes that wait for the rest of a frame.
    package var bufferedCount: Int { reader.bufferedCount }

    /// Appends bytes of the proxy; `next()` takes what is complete.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if case .ended = state { return }
        reader.append(bytes)
    }

    /// The next input; `nil` until more bytes arrive.
    package mutating func next() -> Input? {
        if case .ended = state { return nil }
        if isReady {
            isReady = false
            return .ready
        }
        do throws(Fault) {
            if case .plaintext = state { return try nextPlaintext() }
            return try nextEncrypted()
        } catch {
            state = .ended
            reader.removeAll()
            return .end(error)
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
        case .greeting, .handshake, .ended: return nil
        }
    }

    private mutating func nextPlaintext() throws(Fault) -> Input? {
        switch reader.indicator {
        case nil: return nil
        case Frame.plaintextIndicator:
            return try Self.parse { () throws(Frame.Fault) in try reader.nextPlaintext() }
                .map { .message(type: $0.type, body: $0.body) }
        // A proxy with a key answers in its own kind of frames.
        case Frame.encryptedIndicator: throw .keyRequired
        default: throw Self.notAFrame
        }
    }

    private mutating func nextEncrypted() throws(Fault) -> Input? {
        switch reader.indicator {
        case nil: return nil
        case Frame.encryptedIndicator:
            guard let content = try Self.parse({ () throws(Frame.Fault) in try reader.nextEncrypted() }) else {
                return nil
            }
            return try take(content)
        case Frame.plaintextIndicator: throw .noKey
        default: throw Self.notAFrame
        }
    }

    private mutating func take(_ content: [UInt8]) throws(Fault) -> Input? {
        switch state {
        case .greeting(let handshake):
            // A refusal takes the place of the greeting as well: its first byte is the same, and its text has no end.
            guard content.first == 1 else { throw .malformed("it chose a protocol that is not known") }
            guard content.contains(0) || content.count == 1 else { throw Self.refusal(content) }
            state = .handshake(handshake)
            return next()
        case .handshake(var handshake):
            guard content.first == 0 else { throw Self.refusal(content) }
            guard let ciphers = try? handshake.finish(content.dropFirst()) else { throw .otherKey }
            state = .encrypted(ciphers)
            return .ready
        case .encrypted(var ciphers):
            let (type, body) = try Self.parse { () throws(Frame.Fault) in try ciphers.open(content) }
            state = .encrypted(ciphers)
            return .message(type: type, body: body)
        case .plaintext, .ended: return nil
        }
    }

    private static let notAFrame = Fault.malformed("it does not send frames of ESPHome's API")

    private static func refusal(_ content: [UInt8]) -> Fault {
        let text = String(decoding: content.dropFirst(), as: UTF8.self)
        return text == NoiseHandshake.macFailure ? .otherKey : .refusedHandshake(text)
    }

    private static func parse<Value>(_ body: () throws(Frame.Fault) -> Value) throws(Fault) -> Value {
        do throws(Frame.Fault) {
            return try body()
        } catch {
            throw .malformed(error.reason)
        }
    }
}
