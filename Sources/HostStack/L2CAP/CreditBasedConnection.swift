// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// L2CAP_LE_CREDIT_BASED_CONNECTION_REQ (Core 5.4, Vol 3, Part A, 4.22).
package struct LECreditBasedConnectionRequest: SignallingMessage {
    package static let code: UInt8 = 0x14
    /// The protocol or service wanted (SPSM).
    package let protocolServiceMultiplexer: UInt16
    /// The channel's end at the sender.
    package let source: ChannelIdentifier
    /// The longest service data unit that the sender takes, in octets.
    package let maximumTransmissionUnit: UInt16
    /// The longest frame payload that the sender takes, in octets.
    package let maximumPayloadSize: UInt16
    /// The frames that the receiver may send at first.
    package let initialCredits: UInt16

    /// A request with these fields.
    package init(
        protocolServiceMultiplexer: UInt16, source: ChannelIdentifier, maximumTransmissionUnit: UInt16,
        maximumPayloadSize: UInt16, initialCredits: UInt16
    ) {
        self.protocolServiceMultiplexer = protocolServiceMultiplexer
        self.source = source
        self.maximumTransmissionUnit = maximumTransmissionUnit
        self.maximumPayloadSize = maximumPayloadSize
        self.initialCredits = initialCredits
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        protocolServiceMultiplexer = try reader.readLittleEndian()
        source = try ChannelIdentifier(parsing: &reader)
        maximumTransmissionUnit = try reader.readLittleEndian()
        maximumPayloadSize = try reader.readLittleEndian()
        initialCredits = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(protocolServiceMultiplexer)
        source.serialize(into: &writer)
        writer.writeLittleEndian(maximumTransmissionUnit)
        writer.writeLittleEndian(maximumPayloadSize)
        writer.writeLittleEndian(initialCredits)
    }
}

/// L2CAP_LE_CREDIT_BASED_CONNECTION_RSP (Core 5.4, Vol 3, Part A, 4.23).
package struct LECreditBasedConnectionResponse: SignallingMessage {
    package static let code: UInt8 = 0x15
    /// The channel's end at the sender of the response; 0 when there is none.
    package let destination: ChannelIdentifier
    /// The longest service data unit that the sender takes, in octets.
    package let maximumTransmissionUnit: UInt16
    /// The longest frame payload that the sender takes, in octets.
    package let maximumPayloadSize: UInt16
    /// The frames that the receiver may send at first.
    package let initialCredits: UInt16
    /// 0x0000 successful, 0x0002 SPSM not supported, and more.
    package let result: UInt16

    /// A refusal: no such protocol or service is here.
    package static let protocolServiceMultiplexerNotSupported = LECreditBasedConnectionResponse(
        destination: ChannelIdentifier(0), maximumTransmissionUnit: 0, maximumPayloadSize: 0, initialCredits: 0,
        result: 0x0002)

    /// A response with these fields.
    package init(
        destination: ChannelIdentifier, maximumTransmissionUnit: UInt16, maximumPayloadSize: UInt16,
        initialCredits: UInt16, result: UInt16
    ) {
        self.destination = destination
        self.maximumTransmissionUnit = maximumTransmissionUnit
        self.maximumPayloadSize = maximumPayloadSize
        self.initialCredits = initialCredits
        self.result = result
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        destination = try ChannelIdentifier(parsing: &reader)
        maximumTransmissionUnit = try reader.readLittleEndian()
        maximumPayloadSize = try reader.readLittleEndian()
        initialCredits = try reader.readLittleEndian()
        result = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        destination.serialize(into: &writer)
        writer.writeLittleEndian(maximumTransmissionUnit)
        writer.writeLittleEndian(maximumPayloadSize)
        writer.writeLittleEndian(initialCredits)
        writer.writeLittleEndian(result)
    }
}

/// L2CAP_FLOW_CONTROL_CREDIT_IND (Core 5.4, Vol 3, Part A, 4.24).
package struct FlowControlCredit: SignallingMessage {
    package static let code: UInt8 = 0x16
    /// The channel's end at the sender.
    package let channel: ChannelIdentifier
    /// The frames that the receiver may send beyond those it could already.
    package let credits: UInt16

    /// So many more frames on a channel.
    package init(channel: ChannelIdentifier, credits: UInt16) {
        self.channel = channel
        self.credits = credits
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        channel = try ChannelIdentifier(parsing: &reader)
        credits = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        channel.serialize(into: &writer)
        writer.writeLittleEndian(credits)
    }
}
