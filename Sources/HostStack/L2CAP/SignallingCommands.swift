// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// The data of one signalling command: what stands behind code, identifier and length (Core 5.4, Vol 3, Part A, 4).
public protocol SignallingMessage: WireCodable, Hashable {
    /// What says which command it is.
    static var code: UInt8 { get }
}

/// L2CAP_COMMAND_REJECT_RSP (Core 5.4, Vol 3, Part A, 4.1).
public struct CommandReject: SignallingMessage {
    public static let code: UInt8 = 0x01
    /// 0x0000 command not understood, 0x0001 signalling MTU exceeded, 0x0002 invalid channel in request.
    public let reason: UInt16
    /// What belongs to the reason: for 0x0001 the MTU, for 0x0002 two channels.
    public let data: [UInt8]

    /// The command is not known here.
    public static let notUnderstood = CommandReject(reason: 0x0000)

    /// The command names channels that are not open.
    public static func invalidChannel(local: ChannelIdentifier, remote: ChannelIdentifier) -> CommandReject {
        CommandReject(reason: 0x0002, data: local.serialized() + remote.serialized())
    }

    /// A rejection for this reason.
    public init(reason: UInt16, data: [UInt8] = []) {
        self.reason = reason
        self.data = data
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        reason = try reader.readLittleEndian()
        data = Array(reader.readAll())
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(reason)
        writer.write(data)
    }
}

/// L2CAP_DISCONNECTION_REQ (Core 5.4, Vol 3, Part A, 4.6).
public struct DisconnectionRequest: SignallingMessage {
    public static let code: UInt8 = 0x06
    /// The channel's end at the receiver of the request.
    public let destination: ChannelIdentifier
    /// The channel's end at the sender of the request.
    public let source: ChannelIdentifier

    /// A request to close this channel.
    public init(destination: ChannelIdentifier, source: ChannelIdentifier) {
        self.destination = destination
        self.source = source
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        destination = try ChannelIdentifier(parsing: &reader)
        source = try ChannelIdentifier(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        destination.serialize(into: &writer)
        source.serialize(into: &writer)
    }
}

/// L2CAP_DISCONNECTION_RSP (Core 5.4, Vol 3, Part A, 4.7).
public struct DisconnectionResponse: SignallingMessage {
    public static let code: UInt8 = 0x07
    /// The channel's end at the receiver of the request.
    public let destination: ChannelIdentifier
    /// The channel's end at the sender of the request.
    public let source: ChannelIdentifier

    /// A response that says that this channel is closed.
    public init(destination: ChannelIdentifier, source: ChannelIdentifier) {
        self.destination = destination
        self.source = source
    }

    public init(parsing reader: inout ByteReader) throws(WireError) {
        destination = try ChannelIdentifier(parsing: &reader)
        source = try ChannelIdentifier(parsing: &reader)
    }

    public func serialize(into writer: inout ByteWriter) {
        destination.serialize(into: &writer)
        source.serialize(into: &writer)
    }
}
