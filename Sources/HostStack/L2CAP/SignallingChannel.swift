// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The signalling channel of one LE link (Core 5.4, Vol 3, Part A, 4).
///
/// It answers the peer's requests, rejects commands that are not supported, and asks a central for other connection
/// parameters. Each call returns the actions for the owner.
struct SignallingChannel: Sendable {
    /// The role of this end of the link.
    enum Role: Hashable, Sendable {
        case central
        case peripheral
    }

    /// An action for the owner.
    enum Output: Hashable, Sendable {
        /// Send this payload on the signalling channel.
        case send([UInt8])
        /// The peer's request was accepted: set these connection parameters.
        case updateConnectionParameters(ConnectionParameterUpdateRequest)
        /// The central's response to the request; `nil` if there was none within 30 seconds.
        case connectionParameterUpdateAnswered(ConnectionParameterUpdateResponse?)
    }

    /// The time limit for a response: the specification allows 1 to 60 seconds.
    static let responseTimeout = Duration.seconds(30)
    /// The maximum length of a command, in bytes (Core 5.4, Vol 3, Part A, 4): every LE device takes 23.
    static let maximumPayload = 256

    private let role: Role
    private let acceptsParameterUpdates: Bool
    private var lastIdentifier: UInt8 = 0
    private var pending: (identifier: UInt8, deadline: Duration)?

    /// The channel of a new link; a central that does not accept parameter updates rejects them all.
    init(role: Role, acceptsParameterUpdates: Bool = true) {
        self.role = role
        self.acceptsParameterUpdates = acceptsParameterUpdates
    }

    /// When `advance(to:)` has something to do.
    var nextDeadline: Duration? { pending?.deadline }

    /// Asks the central for other connection parameters.
    /// - Returns: nothing while an earlier request is pending.
    mutating func request(_ parameters: ConnectionParameterUpdateRequest, at now: Duration) -> [Output] {
        guard pending == nil else { return [] }
        lastIdentifier = lastIdentifier == 255 ? 1 : lastIdentifier + 1
        pending = (lastIdentifier, now + Self.responseTimeout)
        return [send(.connectionParameterUpdateRequest(parameters), identifier: lastIdentifier)]
    }

    /// Expires the request whose time is over.
    mutating func advance(to now: Duration) -> [Output] {
        guard let pending, now >= pending.deadline else { return [] }
        self.pending = nil
        return [.connectionParameterUpdateAnswered(nil)]
    }

    /// Takes the payload of one frame.
    mutating func receive(_ payload: [UInt8]) -> [Output] {
        guard payload.count <= Self.maximumPayload else {
            var writer = ByteWriter()
            writer.writeLittleEndian(UInt16(Self.maximumPayload))
            return reject(payload, CommandReject(reason: 0x0001, data: writer.bytes))
        }
        guard let packet = try? SignallingPacket(parsing: payload) else { return reject(payload, .notUnderstood) }
        // 0 is not a valid identifier, so there is no way to respond.
        guard packet.identifier != 0 else { return [] }
        return receive(packet)
    }

    private mutating func receive(_ packet: SignallingPacket) -> [Output] {
        let identifier = packet.identifier
        switch packet.command {
        case .connectionParameterUpdateRequest(let parameters):
            return update(parameters, identifier: identifier)
        case .connectionParameterUpdateResponse(let response):
            return finishRequest(identifier, with: response)
        case .commandReject:
            return finishRequest(identifier, with: .rejected)
        case .creditBasedConnectionRequest:
            return [
                send(
                    .creditBasedConnectionResponse(.protocolServiceMultiplexerNotSupported), identifier: identifier)
            ]
        case .disconnectionRequest(let request):
            // No channel is ever open, so none can be closed.
            let reason = CommandReject.invalidChannel(local: request.destination, remote: request.source)
            return [send(.commandReject(reason), identifier: identifier)]
        case .disconnectionResponse, .creditBasedConnectionResponse, .flowControlCredit:
            return []
        case .unknown:
            return [send(.commandReject(.notUnderstood), identifier: identifier)]
        }
    }

    private func update(_ parameters: ConnectionParameterUpdateRequest, identifier: UInt8) -> [Output] {
        // Only a peripheral may request parameters.
        guard role == .central else { return [send(.commandReject(.notUnderstood), identifier: identifier)] }
        guard acceptsParameterUpdates, parameters.isPossible else {
            return [send(.connectionParameterUpdateResponse(.rejected), identifier: identifier)]
        }
        return [
            send(.connectionParameterUpdateResponse(.accepted), identifier: identifier),
            .updateConnectionParameters(parameters),
        ]
    }

    private mutating func finishRequest(
        _ identifier: UInt8, with response: ConnectionParameterUpdateResponse
    ) -> [Output] {
        guard pending?.identifier == identifier else { return [] }
        pending = nil
        return [.connectionParameterUpdateAnswered(response)]
    }

    private func send(_ command: SignallingPacket.Command, identifier: UInt8) -> Output {
        .send(SignallingPacket(identifier: identifier, command: command).serialized())
    }

    /// Rejects a malformed command if its code and identifier can be read. A rejection is never answered.
    private func reject(_ payload: [UInt8], _ reason: CommandReject) -> [Output] {
        guard payload.count >= 2, payload[0] != CommandReject.code, payload[1] != 0 else { return [] }
        return [send(.commandReject(reason), identifier: payload[1])]
    }
}
