// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The data of one signalling command, after code, identifier and length (Core 5.4, Vol 3, Part A, 4).
protocol SignallingMessage: WireCodable, Hashable {
    /// The code of the command.
    static var code: UInt8 { get }
}

/// L2CAP_COMMAND_REJECT_RSP (Core 5.4, Vol 3, Part A, 4.1).
struct CommandReject: SignallingMessage {
    static let code: UInt8 = 0x01
    /// 0x0000 command not understood, 0x0001 signalling MTU exceeded, 0x0002 invalid channel in request.
    let reason: UInt16
    /// Details of the reason: for 0x0001 the signalling MTU, for 0x0002 the local and the remote channel identifier.
    let data: [UInt8]

    /// The command is not supported.
    static let notUnderstood = CommandReject(reason: 0x0000)

    /// The command names channels that are not open.
    static func invalidChannel(local: ChannelIdentifier, remote: ChannelIdentifier) -> CommandReject {
        CommandReject(reason: 0x0002, data: local.serialized() + remote.serialized())
    }

    /// A rejection for this reason.
    init(reason: UInt16, data: [UInt8] = []) {
        self.reason = reason
        self.data = data
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        reason = try reader.readLittleEndian()
        data = Array(reader.readAll())
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(reason)
        writer.write(data)
    }
}

/// L2CAP_DISCONNECTION_REQ (Core 5.4, Vol 3, Part A, 4.6).
struct DisconnectionRequest: SignallingMessage {
    static let code: UInt8 = 0x06
    /// The channel identifier at the receiver of the request.
    let destination: ChannelIdentifier
    /// The channel identifier at the sender of the request.
    let source: ChannelIdentifier

    /// A request to close this channel.
    init(destination: ChannelIdentifier, source: ChannelIdentifier) {
        self.destination = destination
        self.source = source
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        destination = try ChannelIdentifier(parsing: &reader)
        source = try ChannelIdentifier(parsing: &reader)
    }

    func serialize(into writer: inout ByteWriter) {
        destination.serialize(into: &writer)
        source.serialize(into: &writer)
    }
}

/// L2CAP_DISCONNECTION_RSP (Core 5.4, Vol 3, Part A, 4.7).
struct DisconnectionResponse: SignallingMessage {
    static let code: UInt8 = 0x07
    /// The channel identifier at the receiver of the request.
    let destination: ChannelIdentifier
    /// The channel identifier at the sender of the request.
    let source: ChannelIdentifier

    /// A confirmation that this channel is closed.
    init(destination: ChannelIdentifier, source: ChannelIdentifier) {
        self.destination = destination
        self.source = source
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        destination = try ChannelIdentifier(parsing: &reader)
        source = try ChannelIdentifier(parsing: &reader)
    }

    func serialize(into writer: inout ByteWriter) {
        destination.serialize(into: &writer)
        source.serialize(into: &writer)
    }
}

/// L2CAP_CONNECTION_PARAMETER_UPDATE_REQ (Core 5.4, Vol 3, Part A, 4.20).
package struct ConnectionParameterUpdateRequest: SignallingMessage {
    static let code: UInt8 = 0x12
    /// The minimum connection interval, in units of 1.25 ms: 6 to 3,200.
    let minimumInterval: Ticks<1250>
    /// The maximum connection interval, in units of 1.25 ms: 6 to 3,200.
    let maximumInterval: Ticks<1250>
    /// The number of connection events that the peripheral may skip: 0 to 499.
    let latency: UInt16
    /// The supervision timeout, in units of 10 ms: 10 to 3,200.
    let timeout: Ticks<10000>

    /// A request for these parameters, each of which must fit into 16 bits.
    init(minimumInterval: Ticks<1250>, maximumInterval: Ticks<1250>, latency: UInt16, timeout: Ticks<10000>) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.timeout = timeout
    }

    /// Whether each parameter is in its range and the timeout is longer than (1 + latency) x maximum interval x 2
    /// (Core 5.4, Vol 4, Part E, 7.8.18).
    var isPossible: Bool {
        let intervals = UInt32(6)...3200
        let longestSilence = maximumInterval.duration * (1 + Int(latency))
        return intervals.contains(minimumInterval.count) && intervals.contains(maximumInterval.count)
            && minimumInterval <= maximumInterval && latency <= 499 && 10...3200 ~= timeout.count
            && timeout.duration > longestSilence * 2
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        minimumInterval = Ticks(UInt32(try reader.readLittleEndian(UInt16.self)))
        maximumInterval = Ticks(UInt32(try reader.readLittleEndian(UInt16.self)))
        latency = try reader.readLittleEndian()
        timeout = Ticks(UInt32(try reader.readLittleEndian(UInt16.self)))
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: minimumInterval.count))
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: maximumInterval.count))
        writer.writeLittleEndian(latency)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: timeout.count))
    }
}

/// L2CAP_CONNECTION_PARAMETER_UPDATE_RSP (Core 5.4, Vol 3, Part A, 4.21).
struct ConnectionParameterUpdateResponse: SignallingMessage {
    static let code: UInt8 = 0x13
    /// 0x0000: accepted; 0x0001: rejected.
    let result: UInt16

    /// The central sets the parameters.
    static let accepted = ConnectionParameterUpdateResponse(result: 0x0000)
    /// The central does not set the parameters.
    static let rejected = ConnectionParameterUpdateResponse(result: 0x0001)

    /// A response of this result.
    init(result: UInt16) { self.result = result }

    init(parsing reader: inout ByteReader) throws(WireError) { result = try reader.readLittleEndian() }
    func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(result) }
}

/// L2CAP_LE_CREDIT_BASED_CONNECTION_REQ (Core 5.4, Vol 3, Part A, 4.22).
struct LECreditBasedConnectionRequest: SignallingMessage {
    static let code: UInt8 = 0x14
    /// The requested protocol or service (SPSM).
    let protocolServiceMultiplexer: UInt16
    /// The channel identifier at the sender.
    let source: ChannelIdentifier
    /// The maximum service data unit that the sender accepts, in bytes (MTU).
    let maximumTransmissionUnit: UInt16
    /// The maximum payload of a frame that the sender accepts, in bytes (MPS).
    let maximumPayloadSize: UInt16
    /// The number of frames that the receiver may send at first.
    let initialCredits: UInt16

    init(
        protocolServiceMultiplexer: UInt16, source: ChannelIdentifier, maximumTransmissionUnit: UInt16,
        maximumPayloadSize: UInt16, initialCredits: UInt16
    ) {
        self.protocolServiceMultiplexer = protocolServiceMultiplexer
        self.source = source
        self.maximumTransmissionUnit = maximumTransmissionUnit
        self.maximumPayloadSize = maximumPayloadSize
        self.initialCredits = initialCredits
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        protocolServiceMultiplexer = try reader.readLittleEndian()
        source = try ChannelIdentifier(parsing: &reader)
        maximumTransmissionUnit = try reader.readLittleEndian()
        maximumPayloadSize = try reader.readLittleEndian()
        initialCredits = try reader.readLittleEndian()
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(protocolServiceMultiplexer)
        source.serialize(into: &writer)
        writer.writeLittleEndian(maximumTransmissionUnit)
        writer.writeLittleEndian(maximumPayloadSize)
        writer.writeLittleEndian(initialCredits)
    }
}

/// L2CAP_LE_CREDIT_BASED_CONNECTION_RSP (Core 5.4, Vol 3, Part A, 4.23).
struct LECreditBasedConnectionResponse: SignallingMessage {
    static let code: UInt8 = 0x15
    /// The channel identifier at the sender of the response; 0 in a refusal.
    let destination: ChannelIdentifier
    /// The maximum service data unit that the sender accepts, in bytes (MTU).
    let maximumTransmissionUnit: UInt16
    /// The maximum payload of a frame that the sender accepts, in bytes (MPS).
    let maximumPayloadSize: UInt16
    /// The number of frames that the receiver may send at first.
    let initialCredits: UInt16
    /// 0x0000: success; 0x0002: SPSM not supported; other values: refused for other reasons.
    let result: UInt16

    /// A refusal: there is no such protocol or service.
    static let protocolServiceMultiplexerNotSupported = LECreditBasedConnectionResponse(
        destination: ChannelIdentifier(0), maximumTransmissionUnit: 0, maximumPayloadSize: 0, initialCredits: 0,
        result: 0x0002)

    init(
        destination: ChannelIdentifier, maximumTransmissionUnit: UInt16, maximumPayloadSize: UInt16,
        initialCredits: UInt16, result: UInt16
    ) {
        self.destination = destination
        self.maximumTransmissionUnit = maximumTransmissionUnit
        self.maximumPayloadSize = maximumPayloadSize
        self.initialCredits = initialCredits
        self.result = result
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        destination = try ChannelIdentifier(parsing: &reader)
        maximumTransmissionUnit = try reader.readLittleEndian()
        maximumPayloadSize = try reader.readLittleEndian()
        initialCredits = try reader.readLittleEndian()
        result = try reader.readLittleEndian()
    }

    func serialize(into writer: inout ByteWriter) {
        destination.serialize(into: &writer)
        writer.writeLittleEndian(maximumTransmissionUnit)
        writer.writeLittleEndian(maximumPayloadSize)
        writer.writeLittleEndian(initialCredits)
        writer.writeLittleEndian(result)
    }
}

/// L2CAP_FLOW_CONTROL_CREDIT_IND (Core 5.4, Vol 3, Part A, 4.24).
struct FlowControlCredit: SignallingMessage {
    static let code: UInt8 = 0x16
    /// The channel identifier at the sender.
    let channel: ChannelIdentifier
    /// The number of further frames that the receiver may send.
    let credits: UInt16

    /// Credits for a channel.
    init(channel: ChannelIdentifier, credits: UInt16) {
        self.channel = channel
        self.credits = credits
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        channel = try ChannelIdentifier(parsing: &reader)
        credits = try reader.readLittleEndian()
    }

    func serialize(into writer: inout ByteWriter) {
        channel.serialize(into: &writer)
        writer.writeLittleEndian(credits)
    }
}
