// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A command on the signalling channel: code, identifier, length and data (Core 5.4, Vol 3, Part A, 4).
struct SignallingPacket: Hashable, Sendable {
    /// The commands of an LE link.
    enum Command: Hashable, Sendable {
        case commandReject(CommandReject)
        case disconnectionRequest(DisconnectionRequest)
        case disconnectionResponse(DisconnectionResponse)
        case connectionParameterUpdateRequest(ConnectionParameterUpdateRequest)
        case connectionParameterUpdateResponse(ConnectionParameterUpdateResponse)
        case creditBasedConnectionRequest(LECreditBasedConnectionRequest)
        case creditBasedConnectionResponse(LECreditBasedConnectionResponse)
        case flowControlCredit(FlowControlCredit)
        /// Another code and its data.
        case unknown(UInt8, [UInt8])

        /// The message; `nil` if the code is unknown.
        var message: (any SignallingMessage)? {
            switch self {
            case .commandReject(let message): message
            case .disconnectionRequest(let message): message
            case .disconnectionResponse(let message): message
            case .connectionParameterUpdateRequest(let message): message
            case .connectionParameterUpdateResponse(let message): message
            case .creditBasedConnectionRequest(let message): message
            case .creditBasedConnectionResponse(let message): message
            case .flowControlCredit(let message): message
            case .unknown: nil
            }
        }
    }

    /// The identifier that a response repeats from its request; never 0.
    let identifier: UInt8
    /// The command.
    let command: Command
}

extension SignallingPacket: WireCodable {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        let code = try reader.readUInt8()
        identifier = try reader.readUInt8()
        let length: UInt16 = try reader.readLittleEndian()
        var data = try reader.reader(count: Int(length))
        command = try Command(code: code, parsing: &data)
        guard data.isAtEnd else { throw WireError(.trailingBytes(data.remaining), offset: data.offset) }
    }

    package func serialize(into writer: inout ByteWriter) {
        let code: UInt8
        let data: [UInt8]
        switch command {
        case .unknown(let unknownCode, let bytes): (code, data) = (unknownCode, bytes)
        default:
            guard let message = command.message else { return }
            (code, data) = (type(of: message).code, message.serialized())
        }
        writer.write(code)
        writer.write(identifier)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: data.count))
        writer.write(data)
    }
}

extension SignallingPacket.Command {
    fileprivate init(code: UInt8, parsing data: inout ByteReader) throws(WireError) {
        switch code {
        case CommandReject.code: self = .commandReject(try CommandReject(parsing: &data))
        case DisconnectionRequest.code: self = .disconnectionRequest(try DisconnectionRequest(parsing: &data))
        case DisconnectionResponse.code: self = .disconnectionResponse(try DisconnectionResponse(parsing: &data))
        case ConnectionParameterUpdateRequest.code:
            self = .connectionParameterUpdateRequest(try ConnectionParameterUpdateRequest(parsing: &data))
        case ConnectionParameterUpdateResponse.code:
            self = .connectionParameterUpdateResponse(try ConnectionParameterUpdateResponse(parsing: &data))
        case LECreditBasedConnectionRequest.code:
            self = .creditBasedConnectionRequest(try LECreditBasedConnectionRequest(parsing: &data))
        case LECreditBasedConnectionResponse.code:
            self = .creditBasedConnectionResponse(try LECreditBasedConnectionResponse(parsing: &data))
        case FlowControlCredit.code: self = .flowControlCredit(try FlowControlCredit(parsing: &data))
        default: self = .unknown(code, Array(data.readAll()))
        }
    }
}
